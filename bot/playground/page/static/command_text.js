// A slash command that is being written, taken apart as slash.py does it: a value goes on until the next option.

const BOOLEAN = 5;
const LISTED = new Set([5, 6, 7, 8, 9, 11]); // values of these types are taken from a list
const quoted = (name) => name.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");

// { command, given, current } of the text before the caret, or null where it does not call a command yet. `given`: texts
// by option name. `current`: the option whose value is being written { option, typed, start, isDone, isListed }.
export function commandState(text, commands, picks) {
  const called = commands.flatMap((command) => [command.label, command.name].filter((name) => text.startsWith(`/${name} `)).map((name) => ({ command, name })))
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (!called) return null;
  const { command, name } = called;
  const names = command.options.flatMap((option) => [option.name, option.label]).sort((a, b) => b.length - a.length);
  const given = {};
  let current = null;
  if (names.length) {
    const marks = [...text.matchAll(new RegExp(`(?<=\\s)(${names.map(quoted).join("|")}):`, "g"))].filter(({ index }) => index > name.length);
    marks.forEach((mark, index) => {
      const option = command.options.find(({ label }) => label === mark[1]) ?? command.options.find((other) => other.name === mark[1]);
      const start = mark.index + mark[0].length;
      const written = text.slice(start, marks[index + 1]?.index);
      given[option.name] = written.trim();
      current = { option, typed: written.trimStart(), start: start + written.length - written.trimStart().length };
    });
  }
  if (current) Object.assign(current, { isListed: isListed(current.option), isDone: isDone(current, picks, command.options) });
  return { command, given, current };
}

const isListed = ({ type, choices, autocomplete }) => LISTED.has(type) || autocomplete || Object.keys(choices).length > 0;

// A value that was taken from a list stands for itself, also when the name of another option has been begun behind it.
function isDone({ option, typed }, picks, options) {
  const listed = [picks[option.name]?.text, ...Object.keys(option.choices), ...(option.type === BOOLEAN ? ["true", "false"] : [])];
  return listed.some((text) => {
    if (text === undefined || !`${typed} `.startsWith(`${text} `)) return false;
    const behind = typed.slice(text.length + 1).trimStart();
    return behind === "" || options.some(({ label }) => label.startsWith(behind));
  });
}
