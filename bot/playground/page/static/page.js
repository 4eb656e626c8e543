// The page's state and its WebSocket. Every event names one thing that changed, and only that is drawn anew.

import { Composer } from "./composer.js";
import { avatar, element } from "./elements.js";
import { drawMessage } from "./message.js";
import { day } from "./times.js";

const GROUP_WITHIN_MS = 7 * 60 * 1000; // later messages of an author show the name again
const TYPING_MS = 10000;
const AT_BOTTOM_PX = 60;

const at = (id) => document.getElementById(id);
const scroller = at("scroller");
const list = at("messages");

let socket;
let retryMs = 500;
let state = null; // the last snapshot
let replyTo = null;
let unconfirmed = null; // text on its way; it comes back into the composer when it is refused
const views = new Map(); // message id → view
const presses = new Map(); // message id → custom id of a pending press, or "failed"
const dismissed = new Set();
const unread = new Set();
const typists = new Map(); // user id → { name, timer }

// ------------------------------------------------------------------------------------------------------- the socket

function connect() {
  socket = new WebSocket(`ws://${location.host}/ws`);
  socket.onopen = () => { retryMs = 500; at("toast").hidden = true; };
  socket.onmessage = ({ data }) => { const event = JSON.parse(data); handlers[event.type](event); };
  socket.onclose = () => {
    toast("Connection lost. Trying again…", true);
    setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, 5000);
  };
}

function command(type, fields = {}) {
  if (socket.readyState !== WebSocket.OPEN) { toast("Not connected."); return false; }
  socket.send(JSON.stringify({ type, ...fields }));
  return true;
}

const handlers = {
  "snapshot": showSnapshot,
  "message.create": ({ message }) => {
    stopTyping(message.author.id);
    if (message.author.id === state.me.id) unconfirmed = null;
    views.set(message.id, message);
    // One's own message is always worth seeing.
    keepingBottom(() => place(message), message.author.id === state.me.id);
  },
  "message.update": ({ message }) => {
    views.set(message.id, message);
    keepingBottom(() => place(message));
  },
  "message.delete": ({ message_id }) => removeMessage(message_id),
  "typing.start": ({ user_id, name }) => startTyping(user_id, name),
  "channels": ({ channels }) => { state.channels = channels; drawChannels(); },
  "unread": ({ channel_id }) => { unread.add(channel_id); drawChannels(); },
  "press.pending": ({ message_id, custom_id }) => setPress(message_id, custom_id),
  "press.answered": ({ message_id }) => setPress(message_id, null),
  "press.failed": ({ message_id }) => setPress(message_id, "failed"),
  "error": ({ text }) => {
    toast(text);
    if (unconfirmed !== null) composer.restore(unconfirmed);
    unconfirmed = null;
  },
};

// ----------------------------------------------------------------------------------------------------- the messages

const actions = {
  press: (messageId, customId) => command("press", { message_id: messageId, custom_id: customId }),
  react: (messageId, emoji) => command("react", { message_id: messageId, emoji }),
  remove: (messageId) => command("delete", { message_id: messageId }),
  open: (channelId) => command("switch", { channel_id: channelId }),
  dismiss: (messageId) => { dismissed.add(messageId); removeMessage(messageId); composer.focus(); },
  reply: (message) => setReply(message),
  show: (messageId) => {
    const target = at(`message-${messageId}`);
    target?.scrollIntoView({ block: "center" });
    target?.animate({ backgroundColor: ["#5865f240", "transparent"] }, 1500);
  },
};

function place(message) {
  if (dismissed.has(message.id)) return;
  const old = at(`message-${message.id}`);
  const item = drawMessage(message, actions, presses.get(message.id));
  if (old) {
    keepRevealed(old, item);
    const focused = [...old.querySelectorAll("button, a")].indexOf(document.activeElement);
    old.replaceWith(item);
    if (focused >= 0) item.querySelectorAll("button, a")[focused]?.focus({ preventScroll: true });
  } else list.append(item);
  group(item);
  group(item.nextElementSibling);
}

function keepRevealed(old, item) {
  const spoilers = item.querySelectorAll(".spoiler");
  old.querySelectorAll(".spoiler").forEach((spoiler, index) => {
    if (spoiler.classList.contains("revealed") && spoilers[index]) reveal(spoilers[index]);
  });
}

function group(item) {
  if (!item) return;
  const before = item.previousElementSibling;
  const moment = new Date(Number(item.dataset.time));
  const sameDay = before && new Date(Number(before.dataset.time)).toDateString() === moment.toDateString();
  item.classList.toggle("grouped", Boolean(sameDay) && !("starts" in item.dataset) && before.dataset.author === item.dataset.author
    && item.dataset.time - before.dataset.time < GROUP_WITHIN_MS);
  if (sameDay) item.removeAttribute("data-day");
  else item.dataset.day = day(moment);
}

function removeMessage(messageId) {
  const item = at(`message-${messageId}`);
  const next = item?.nextElementSibling;
  views.delete(messageId);
  item?.remove();
  group(next);
  if (replyTo?.id === messageId) setReply(null);
}

function setPress(messageId, press) {
  if (press) presses.set(messageId, press); else presses.delete(messageId);
  if (views.has(messageId)) keepingBottom(() => place(views.get(messageId)));
}

const isAtBottom = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_BOTTOM_PX;
const toBottom = () => { scroller.scrollTop = scroller.scrollHeight; at("jump").hidden = true; };

function keepingBottom(change, always = false) {
  const stick = always || isAtBottom();
  change();
  if (stick) toBottom(); else at("jump").hidden = false;
}

function reveal(spoiler) {
  spoiler.classList.add("revealed");
  for (const name of ["role", "tabindex", "aria-label"]) spoiler.removeAttribute(name);
}

// ------------------------------------------------------------------------------------------------------- around them

const sigil = (channel) => channel.kind === "dm" ? "@" : "#";

function showSnapshot(snapshot) {
  const moved = state?.channel.id !== snapshot.channel.id;
  state = snapshot;
  unread.delete(state.channel.id);
  if (moved) setReply(null);
  for (const userId of [...typists.keys()]) stopTyping(userId);
  views.clear();
  presses.clear();
  at("server").textContent = state.server;
  at("notice").textContent = state.notice;
  at("notice").hidden = !state.notice;
  at("channel-name").replaceChildren(element("span", { class: "sigil" }, sigil(state.channel)), state.channel.name);
  at("topic").textContent = state.channel.topic;
  at("identity").replaceChildren(...state.people.map(({ id, name }) => element("option", { value: id }, name)));
  at("identity").value = state.me.id;
  at("my-avatar").replaceWith(Object.assign(avatar(state.me, "small"), { id: "my-avatar" }));
  at("mention-bot").textContent = `@${state.bot.name}`;
  composer.setPeople([state.bot, ...state.people]);
  composer.setPlaceholder(`Message ${sigil(state.channel)}${state.channel.name}`);
  drawChannels();
  drawWelcome();
  list.replaceChildren();
  for (const message of state.messages) { views.set(message.id, message); place(message); }
  toBottom();
}

function drawChannels() {
  const entry = (channel) => element("button", {
    type: "button", class: `channel ${channel.kind}${unread.has(channel.id) ? " unread" : ""}`,
    "aria-current": channel.id === state.channel.id && "page", onclick: () => { actions.open(channel.id); setMenu(false); },
  }, channel.kind === "dm" ? avatar(state.bot, "small") : element("span", { class: "sigil", "aria-hidden": "true" }, channel.kind === "thread" ? "↳" : "#"),
  channel.name, unread.has(channel.id) ? element("span", { class: "visually-hidden" }, " (unread)") : null);
  const section = (title, channels) => channels.length ? [element("h2", {}, title), ...channels.map(entry)] : [];
  const threads = (parent) => state.channels.filter((channel) => channel.parent_id === parent.id);
  const text = state.channels.filter(({ kind }) => kind === "text");
  at("channels").replaceChildren(
    ...section("Text channels", text.flatMap((channel) => [channel, ...threads(channel)])),
    ...section("Direct messages", state.channels.filter(({ kind }) => kind === "dm")));
}

function drawWelcome() {
  const { channel, bot } = state;
  const direct = channel.kind === "dm";
  at("welcome").replaceChildren(
    direct ? avatar(bot, "large") : element("span", { class: "welcome-sigil", "aria-hidden": "true" }, "#"),
    element("h3", {}, direct ? bot.name : `Welcome to #${channel.name}!`),
    element("p", {}, direct
      ? `This is your conversation with ${bot.name}. Write anything, it answers.`
      : `Write @${bot.name} and a question. The answer is streamed in here, as it would be on Discord.`));
}

function setReply(message) {
  replyTo = message;
  at("reply-bar").hidden = !message;
  at("reply-name").textContent = message?.author.name ?? "";
  if (message) composer.focus();
}

function startTyping(userId, name) {
  stopTyping(userId);
  typists.set(userId, { name, timer: setTimeout(() => stopTyping(userId), TYPING_MS) });
  drawTyping();
}

function stopTyping(userId) {
  clearTimeout(typists.get(userId)?.timer);
  typists.delete(userId);
  drawTyping();
}

function drawTyping() {
  const names = [...typists.values()].map(({ name }) => name);
  at("typing").replaceChildren(...(names.length ? [
    element("span", { class: "dots", "aria-hidden": "true" }, element("i"), element("i"), element("i")),
    element("strong", {}, names.join(", ")), ` ${names.length > 1 ? "are" : "is"} typing…`] : []));
}

let toastTimer;
function toast(text, stays = false) {
  clearTimeout(toastTimer);
  at("toast").textContent = text;
  at("toast").hidden = false;
  if (!stays) toastTimer = setTimeout(() => { at("toast").hidden = true; }, 6000);
}

function setMenu(open) {
  document.body.classList.toggle("menu-open", open);
  at("menu").setAttribute("aria-expanded", String(open));
}

// ----------------------------------------------------------------------------------------------------------- wiring

const composer = new Composer({
  send: (content) => {
    const sent = command("say", { content, reply_to: replyTo?.id ?? null });
    if (sent) { unconfirmed = content; setReply(null); }
    return sent;
  },
  typing: () => socket.readyState === WebSocket.OPEN && command("typing"),
  escape: () => setReply(null),
});

at("mention-bot").addEventListener("click", () => composer.insert(`@${state.bot.name} `));
at("reply-cancel").addEventListener("click", () => { setReply(null); composer.focus(); });
at("identity").addEventListener("change", ({ target }) => command("identity", { user_id: target.value }));
at("menu").addEventListener("click", () => setMenu(!document.body.classList.contains("menu-open")));
at("jump").addEventListener("click", toBottom);
// Pictures load late and the window may change its size: whoever was at the bottom stays there.
let stuck = true;
scroller.addEventListener("scroll", () => { stuck = isAtBottom(); if (stuck) at("jump").hidden = true; });
const sizes = new ResizeObserver(() => { if (stuck) toBottom(); });
sizes.observe(list);
sizes.observe(scroller);
document.addEventListener("click", ({ target }) => {
  const spoiler = target.closest(".spoiler:not(.revealed)");
  if (spoiler) reveal(spoiler);
  else if (document.body.classList.contains("menu-open") && !target.closest("#sidebar, #menu")) setMenu(false);
});
document.addEventListener("keydown", (event) => {
  if (!["Enter", " "].includes(event.key) || !event.target.matches(".spoiler")) return;
  event.preventDefault();
  reveal(event.target);
});

connect();
