// Who and what there is to choose from: people, roles and channels of the snapshot.

import { avatar, element } from "./elements.js";

let known = { people: [], roles: [], channels: [] };

export function setDirectory({ people, bot, roles, channels }) { known = { people: [bot, ...people], roles, channels }; }

export function setChannels(channels) { known.channels = channels; }

const entries = {
  user: () => known.people.map((person) => ({ value: person.id, label: person.name, face: () => avatar(person, "small"), note: person.is_app ? "APP" : "" })),
  role: () => known.roles.map(({ id, name }) => ({ value: id, label: name, face: () => sigil("@"), note: "Role" })),
  channel: (types) => known.channels.filter(({ kind, type }) => kind !== "dm" && (!types.length || types.includes(type)))
    .map(({ id, name, kind }) => ({ value: id, label: name, face: () => sigil(kind === "thread" ? "↳" : "#"), note: "" })),
};

const sigil = (text) => element("span", { class: "sigil", "aria-hidden": "true" }, text);

// What a select offers: { value, label, face (a function that draws, or null), note }.
export function offersOf(select) {
  const own = select.options.map(({ value, label, description, emoji }) => ({
    value, label, note: description, face: emoji ? () => element("span", { class: "emoji", "aria-hidden": "true" }, emoji) : null,
  }));
  return [...own, ...select.of.flatMap((kind) => offers(kind, select.channel_types))];
}

export const offers = (kind, channelTypes = []) => entries[kind](channelTypes);
