// What a person may be about to write: a name after "@", a command after "/" at the beginning, then its options and their
// values.
//
// A suggestion has a `face` to show, and replaces everything from `start` to the caret with `text`. `pick` says what was
// meant by a value, as its words alone may not; `attach` lets a file be chosen for it first.

import { commandState } from "./command_text.js";
import { offers } from "./directory.js";
import { avatar, element } from "./elements.js";

const BOOLEAN = 5;
const ATTACHMENT = 11;
const KINDS = { 6: ["user"], 7: ["channel"], 8: ["role"], 9: ["user", "role"] };

// `text` is what stands before the caret; `bot` the suggestions that the bot has made for the option being written.
export function suggestions(text, people, commands, picks, bot) {
  if (!text.startsWith("/")) return forName(text, people);
  const state = commandState(text, commands, picks);
  if (!state) return forCommand(text, commands);
  return [...forValue(state, bot), ...forOption(text, state)];
}

function forName(text, people) {
  const word = /(?:^|\s)@(\w*)$/.exec(text);
  if (!word) return [];
  return people.filter(({ name }) => name.toLowerCase().startsWith(word[1].toLowerCase())).map((person) => ({
    face: [avatar(person, "small"), person.name, person.is_app ? element("span", { class: "app-tag" }, "APP") : null].filter(Boolean),
    start: text.length - word[1].length - 1,
    text: `@${person.name} `,
  }));
}

function forCommand(text, commands) {
  // One that is written out is not offered, so that Enter sends it.
  const wanted = text.slice(1).toLowerCase();
  const begun = commands.filter(({ name, label }) => [label, name].some((own) => own.startsWith(wanted)) && label !== text.slice(1));
  return begun.map(({ label, description, options }) => ({
    face: [element("strong", {}, `/${label}`), ...options.map((option) => element("span", { class: option.required ? "option required" : "option" }, option.label)), element("small", {}, description)],
    start: 0,
    text: options.length ? `/${label} ` : `/${label}`,
  }));
}

function forValue({ current }, bot) {
  if (!current || current.isDone) return [];
  const { option, typed, start } = current;
  const value = (name, pick, ...face) => ({ face: face.length ? face : [name], start, text: `${name} `, pick: { option: option.name, text: name, value: pick } });
  if (option.autocomplete) {
    if (!bot || bot.option !== option.name) return [];
    if (bot.loading) return [{ face: [element("em", {}, "Loading options…")], isNote: true }];
    if (bot.failed) return [{ face: [element("em", {}, "Loading options failed")], isNote: true }];
    return bot.choices.map((choice) => value(choice.name, choice.value));
  }
  const fits = (name) => name.toLowerCase().includes(typed.replace(/^[@#]/, "").toLowerCase());
  const choices = Object.entries(option.choices).filter(([name]) => fits(name));
  if (choices.length) return choices.map(([name, pick]) => value(name, pick));
  if (option.type === BOOLEAN) return [["true", true], ["false", false]].filter(([name]) => fits(name)).map(([name, pick]) => value(name, pick));
  if (option.type === ATTACHMENT) return [{ face: [element("strong", {}, "Choose a file…")], start, attach: option.name }];
  return (KINDS[option.type] ?? []).flatMap((kind) => offers(kind, option.channel_types)).filter(({ label }) => fits(label))
    .map(({ value: id, label, face }) => value(label, id, face(), label));
}

// Enter takes what is offered, so nothing is while a call may be complete: of options that need not be given only those
// whose name has been begun, and in the middle of a value, where any word may follow, not by a single letter.
function forOption(text, { command, given, current }) {
  const word = /\s(\S*)$/.exec(text)?.[1];
  if (word === undefined || current && !current.isDone && word === current.typed && current.isListed) return [];
  const isFirst = !current;
  const isFree = isFirst || current.isDone;
  const fits = (option) => word === "" ? isFree && option.required : option.label.startsWith(word) && (isFree || word.length > 1);
  return command.options.filter((option) => fits(option) && !(option.name in given)).map((option) => ({
    face: [element("strong", {}, `${option.label}:`), ...(option.required ? [element("span", { class: "option required" }, "required")] : []), element("small", {}, [option.description, bounds(option)].filter(Boolean).join(" "))],
    start: text.length - word.length,
    text: `${option.label}:`,
  }));
}

function bounds({ low, high, type }) {
  if (low === null && high === null) return "";
  const unit = type === 3 ? " characters" : "";
  return low === null ? `(at most ${high}${unit})` : high === null ? `(at least ${low}${unit})` : `(${low} to ${high}${unit})`;
}
