// One message view (views.py) → one list item. `state` is { press, chosen }: the state of its
// controls. What a click on it does is named by
// data-action; message_list.js has the handlers, so that a drawing holds none.

import { drawComponent } from "./components.js";
import { avatar, element, icon } from "./elements.js";
import { drawFile } from "./files.js";
import { clock, fillTimestamps, messageTime } from "./times.js";

export function drawMessage(message, state) {
  const moment = new Date(message.timestamp);
  const item = element("li", {
    class: `message${message.mentions_viewer ? " mentioned" : ""}${message.ephemeral ? " ephemeral" : ""}`,
    id: `message-${message.id}`,
    "data-author": message.author.id,
    "data-time": moment.getTime(),
    "data-starts": Boolean(message.reply || message.ephemeral),
  },
    drawReply(message.reply),
    avatar(message.author),
    element("span", { class: "side-time", "aria-hidden": "true" }, clock(moment)),
    element("header", {},
      element("strong", { class: "name" }, message.author.name),
      message.author.is_app ? element("span", { class: "app-tag" }, "APP") : null,
      element("time", { datetime: message.timestamp }, messageTime(moment))),
    drawBody(message, state),
    message.ephemeral ? null : drawActions(message));
  fillTimestamps(item);
  return item;
}

// Takes nothing of the message but its id: anything else may be what cannot be drawn.
export function drawUnshowable(message) {
  return element("li", { class: "message", id: `message-${message.id}`, "data-author": "", "data-time": Date.now() },
    element("div", { class: "body" }, element("em", {}, "This message cannot be shown.")));
}

// What may come and go has a key, so that an edit leaves what stands behind it the very same node.
function drawBody(message, state) {
  const content = element("div", { class: "content", html: message.html });
  if (message.thinking) content.replaceChildren(element("em", { class: "thinking" }, `${message.author.name} is thinking…`));
  if (message.edited) (content.lastElementChild?.matches("p") ? content.lastElementChild : content).append(element("small", { class: "edited" }, " (edited)"));
  return element("div", { class: "body" },
    content,
    ...message.attachments.map((file) => drawFile(file)),
    ...message.embeds.map(drawEmbed),
    ...message.components.map((component) => drawComponent(component, state)),
    state.press === "failed" ? element("p", { class: "failed", role: "alert", "data-key": "failed" }, "This interaction failed") : null,
    message.reactions.length ? drawReactions(message) : null,
    message.thread ? element("button", { class: "thread", type: "button", "data-key": "thread", "data-action": "open", "data-target": message.thread.id }, `${message.thread.name} ›`) : null,
    message.ephemeral ? element("p", { class: "only-you", "data-key": "only-you" }, "Only you can see this · ",
      element("button", { class: "text-link", type: "button", "data-action": "dismiss" }, "Dismiss message")) : null);
}

function drawReply(reply) {
  if (!reply) return null;
  if (!reply.message_id) return element("div", { class: "reply gone" }, "Original message was deleted");
  return element("div", { class: "reply" },
    element("button", { class: "text-link", type: "button", "aria-label": `Replying to ${reply.author}: go to the message`, "data-action": "show", "data-target": reply.message_id }, `@${reply.author}`),
    element("span", { html: reply.text_html, inert: true }));
}

function drawEmbed(embed, index) {
  const title = embed.url ? element("a", { href: embed.url, target: "_blank", rel: "noopener noreferrer", html: embed.title_html }) : element("span", { html: embed.title_html });
  const foot = [embed.footer, embed.timestamp ? messageTime(new Date(embed.timestamp)) : ""].filter(Boolean).join(" • ");
  const box = element("article", { class: "embed", "data-key": `embed ${index}` },
    embed.author ? element("p", { class: "embed-author" }, embed.author) : null,
    embed.title_html ? element("h3", {}, title) : null,
    embed.description_html ? element("div", { class: "content", html: embed.description_html }) : null,
    embed.fields.length ? element("dl", {}, ...embed.fields.map(drawField)) : null,
    embed.image ? drawFile(embed.image) : null,
    foot ? element("footer", {}, foot) : null);
  if (embed.color) box.style.setProperty("--bar", embed.color);
  return box;
}

function drawField(field) {
  return element("div", { class: field.inline ? "inline" : "" },
    element("dt", { html: field.name_html }), element("dd", { class: "content", html: field.value_html }));
}

function drawReactions(message) {
  return element("div", { class: "reactions", "data-key": "reactions" }, ...message.reactions.map(({ emoji, count, custom }) =>
    element("button", { type: "button", disabled: custom, "aria-label": `${emoji}, ${count}`, "data-action": "react", "data-emoji": emoji },
      element("span", { class: "emoji" }, emoji), String(count))));
}

function drawActions(message) {
  const action = (label, data, face) => element("button", { type: "button", title: label, "aria-label": label, ...data }, face);
  return element("div", { class: "actions", role: "group", "aria-label": "Message actions" },
    action("React with 👍", { "data-action": "react", "data-emoji": "👍" }, "👍"),
    action("Reply", { "data-action": "reply" }, icon("reply")),
    message.can_delete ? action("Delete", { "data-action": "remove" }, icon("delete")) : null);
}
