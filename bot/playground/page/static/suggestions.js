// What a person may be about to write: a name after "@", a command after "/" at the beginning, then its options.
//
// A suggestion has a `face` to show, and replaces everything from `start` to the caret with `text`.

import { avatar, element } from "./elements.js";

// `text` is what stands before the caret.
export function suggestions(text, people, commands) {
  return text.startsWith("/") ? forCommand(text, commands) : forName(text, people);
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
  const called = commands.filter(({ name }) => `${text} `.startsWith(`/${name} `)).sort((a, b) => b.name.length - a.name.length)[0];
  if (called && text.length > called.name.length + 1) return forOption(text, called);
  // One that is written out is not offered, so that Enter sends it.
  const begun = commands.filter(({ name }) => `/${name}`.startsWith(text.toLowerCase()) && `/${name}` !== text);
  return begun.map(({ name, description, options }) => ({
    face: [element("strong", {}, `/${name}`), ...options.map((option) => element("span", { class: "option" }, option.name)), element("small", {}, description)],
    start: 0,
    text: options.length ? `/${name} ` : `/${name}`,
  }));
}

// Enter takes what is offered, so nothing is while a call may be complete: of options that need not be given only those
// whose name has been begun, and in the middle of a value, where any word may follow, not by a single letter.
function forOption(text, { name, options }) {
  const given = text.slice(name.length + 1);
  const word = /\s(\S*)$/.exec(given)?.[1];
  if (word === undefined) return [];
  const isFirst = !given.includes(":");
  const fits = (option) => word === "" ? isFirst && option.required : option.name.startsWith(word) && (isFirst || word.length > 1);
  return options.filter((option) => fits(option) && !given.includes(` ${option.name}:`)).map((option) => ({
    face: [element("strong", {}, `${option.name}:`), ...(option.required ? [element("span", { class: "option" }, "required")] : []), element("small", {}, option.description)],
    start: text.length - word.length,
    text: `${option.name}:`,
  }));
}
