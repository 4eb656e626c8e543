// The page's state: what an event changes, and everything around the messages.

import { findSelect } from "./components.js";
import { Composer } from "./composer.js";
import { Connection } from "./connection.js";
import { setChannels, setDirectory } from "./directory.js";
import { avatar, element } from "./elements.js";
import { MessageList } from "./message_list.js";
import { Modal } from "./modal.js";
import { openSelect } from "./select_menu.js";

const TYPING_MS = 10000;

const at = (id) => document.getElementById(id);

let state = null; // the last snapshot
const unread = new Set();
const typists = new Map(); // user id → { name, timer }

const handlers = {
  "snapshot": showSnapshot,
  "message.create": ({ message, is_unheard }) => {
    const own = message.author.id === state.me.id;
    stopTyping(message.author.id);
    messages.add(message, own);
    if (own) setHint(is_unheard);
  },
  "message.update": ({ message }) => messages.change(message),
  "message.delete": ({ message_id }) => { messages.remove(message_id); composer.forgetReply((id) => id === message_id); },
  "typing.start": ({ user_id, name }) => startTyping(user_id, name),
  "channels": ({ channels }) => showChannels(channels),
  "commands": ({ commands }) => composer.setCommands(commands),
  "unread": ({ channel_id }) => { unread.add(channel_id); drawChannels(); },
  "choices": (event) => composer.hearChoices(event),
  "modal.open": ({ modal: view, message_id }) => { if (message_id) messages.setPress(message_id, null); modal.open(view, state.bot); },
  "modal.done": ({ form }) => modal.done(form),
  "modal.failed": ({ form, text }) => modal.fail(form, text),
  "press.pending": ({ message_id, custom_id }) => messages.setPress(message_id, custom_id),
  "press.answered": ({ message_id }) => messages.setPress(message_id, null),
  "press.failed": ({ message_id }) => messages.setPress(message_id, "failed"),
  "said": ({ nonce }) => composer.confirm(nonce),
  "error": ({ text, nonce }) => { toast(text); if (nonce !== null) composer.giveBack(nonce); },
};

function command(type, fields) {
  const sent = connection.send(type, fields);
  if (!sent) toast("Not connected.");
  return sent;
}

// ------------------------------------------------------------------------------------------------------- a snapshot

const languageNames = new Intl.DisplayNames(["en"], { type: "language", languageDisplay: "standard", style: "short" });
const languageName = (locale) => languageNames.of(locale === "no" ? "nb" : locale);
const sigil = (channel) => channel.kind === "dm" ? "@" : "#";

function showSnapshot(snapshot) {
  const moved = state?.channel.id !== snapshot.channel.id;
  const was = state?.me.id;
  const again = !moved && was === snapshot.me.id;
  state = snapshot;
  const { bot, channel, me, people, managers } = state;
  const direct = channel.kind === "dm";
  if (was && was !== me.id) modal.close();
  setDirectory(state);
  connection.remember(me.id, channel.id);
  unread.delete(channel.id);
  if (moved) { composer.forgetReply(() => true); setHint(false); }
  for (const userId of [...typists.keys()]) stopTyping(userId);
  at("server").textContent = state.server;
  at("notice").textContent = state.notice;
  at("notice").hidden = !state.notice;
  drawTitle();
  at("identity").replaceChildren(...people.map(({ id, name }) => element("option", { value: id }, managers.includes(id) ? `${name} · admin` : name)));
  at("identity").value = me.id;
  at("locale").replaceChildren(...state.locales.map((locale) => element("option", { value: locale }, languageName(locale))));
  at("locale").value = state.locale;
  at("my-avatar").replaceWith(Object.assign(avatar(me, "small"), { id: "my-avatar" }));
  at("mention-bot").hidden = direct;
  at("mention-bot").title = `Mention ${bot.name}`;
  at("mention-bot").setAttribute("aria-label", `Mention ${bot.name}`);
  at("hint-text").textContent = `${bot.name} answers when you mention it: @${bot.name}`;
  composer.setCommands(state.commands);
  composer.setUp({
    people: [bot, ...people],
    placeholder: direct ? `Message ${bot.name}` : `Write @${bot.name} and a question`,
    limit: state.message_limit,
  });
  drawChannels();
  drawWelcome();
  at("welcome").hidden = state.has_older;
  at("older").hidden = !state.has_older;
  messages.showAll(state.messages, again);
}

// A channel that is not there any more cannot be left open.
function showChannels(channels) {
  const current = channels.find(({ id }) => id === state.channel.id);
  state.channels = channels;
  setChannels(channels);
  if (!current) open(channels[0].id);
  else {
    state.channel = current;
    drawTitle();
  }
  drawChannels();
}

function drawTitle() {
  const { channel } = state;
  at("channel-name").replaceChildren(element("span", { class: "sigil" }, sigil(channel)), channel.name);
  at("topic").textContent = channel.topic || threadState(channel);
}

const threadState = ({ archived, locked }) => [archived && "archived", locked && "locked"].filter(Boolean).join(", ");

function drawChannels() {
  const entry = (channel) => element("button", {
    type: "button", class: `channel ${channel.kind}${channel.archived ? " archived" : ""}${unread.has(channel.id) ? " unread" : ""}`,
    "aria-current": channel.id === state.channel.id && "page", onclick: () => { open(channel.id); setMenu(false); },
  }, channel.kind === "dm" ? avatar(state.bot, "small") : element("span", { class: "sigil", "aria-hidden": "true" }, channel.kind === "thread" ? "↳" : "#"),
  channel.name, unread.has(channel.id) ? element("span", { class: "visually-hidden" }, " (unread)") : null,
  threadState(channel) ? element("small", {}, threadState(channel)) : null);
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

// ------------------------------------------------------------------------------------------------------- around them

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

function setHint(shown) {
  at("hint").hidden = !shown || sessionStorage.getItem("hint-dismissed") !== null;
}

function setMenu(open) {
  document.body.classList.toggle("menu-open", open);
  at("menu").setAttribute("aria-expanded", String(open));
}

const menuIsOpen = () => document.body.classList.contains("menu-open");
const open = (channelId) => command("switch", { channel_id: channelId });

// ----------------------------------------------------------------------------------------------------------- wiring

const messages = new MessageList({
  press: ({ id }, { customId }) => command("press", { message_id: id, custom_id: customId }),
  choose: (message, { customId }, button) => {
    const select = findSelect(message.components, customId);
    openSelect(button, select, messages.chosen(message.id, select), (values) => {
      if (command("press", { message_id: message.id, custom_id: customId, values })) messages.setChosen(message.id, customId, values);
    });
  },
  react: ({ id }, { emoji }) => command("react", { message_id: id, emoji }),
  remove: ({ id }) => command("delete", { message_id: id }),
  reply: (message) => composer.replyTo(message),
  dismiss: ({ id }) => { messages.dismiss(id); composer.focus(); },
  open: (message, { target }) => open(target),
  show: (message, { target }) => messages.show(target),
});

const composer = new Composer({
  say: (fields) => command("say", fields),
  typing: () => connection.send("typing"),
  suggest: (fields) => connection.send("suggest", fields),
  complain: toast,
});

const modal = new Modal({
  submit: (fields) => command("submit", fields),
  closed: () => composer.focus(),
});

at("mention-bot").addEventListener("click", () => composer.insert(`@${state.bot.name} `));
at("hint-close").addEventListener("click", () => { sessionStorage.setItem("hint-dismissed", "yes"); setHint(false); composer.focus(); });
at("identity").addEventListener("change", ({ target }) => command("identity", { user_id: target.value }));
at("locale").addEventListener("change", ({ target }) => command("locale", { locale: target.value }));
at("menu").addEventListener("click", () => setMenu(!menuIsOpen()));
document.addEventListener("click", ({ target }) => {
  if (menuIsOpen() && !target.closest("#sidebar, #menu")) setMenu(false);
});
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !menuIsOpen()) return;
  setMenu(false);
  at("menu").focus();
});

const connection = new Connection({
  hear: (event) => handlers[event.type](event),
  opened: () => { at("toast").hidden = true; },
  closed: () => { composer.giveBackAll(); toast("Connection lost. Trying again…", true); },
});
