// Moments in the reader's zone and language, in the words that Discord uses.

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const shortDay = new Intl.DateTimeFormat(undefined, { dateStyle: "short" });
const longDay = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });

// The style letters of <t:unix:style>: https://docs.discord.com/developers/reference#message-formatting
const styles = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
  s: { dateStyle: "short", timeStyle: "short" },
  S: { dateStyle: "short", timeStyle: "medium" },
};
const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

export const clock = (moment) => time.format(moment);
export const day = (moment) => longDay.format(moment);

export function messageTime(moment) {
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (moment.toDateString() === today.toDateString()) return `Today at ${clock(moment)}`;
  if (moment.toDateString() === yesterday.toDateString()) return `Yesterday at ${clock(moment)}`;
  return `${shortDay.format(moment)} ${clock(moment)}`;
}

export function fillTimestamps(root) {
  for (const node of root.querySelectorAll("time.timestamp")) {
    const moment = new Date(node.dateTime);
    node.title = new Intl.DateTimeFormat(undefined, styles.F).format(moment);
    node.textContent = node.dataset.style === "R" ? relative(moment) : new Intl.DateTimeFormat(undefined, styles[node.dataset.style]).format(moment);
  }
}

function relative(moment) {
  const seconds = Math.round((moment - Date.now()) / 1000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}
