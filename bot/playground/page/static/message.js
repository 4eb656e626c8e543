// One message view (views.py) → one list item. `actions` are the page's handlers; `press` is the state of its buttons.

import { avatar, element, icon } from "./elements.js";
import { clock, fillTimestamps, messageTime } from "./times.js";

const buttonStyles = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };

export function drawMessage(message, actions, press) {
  const moment = new Date(message.timestamp);
  const item = element("li", {
    class: `message${message.mentions_viewer ? " mentioned" : ""}${message.ephemeral ? " ephemeral" : ""}`,
    id: `message-${message.id}`,
    "data-author": message.author.id,
    "data-time": moment.getTime(),
    "data-starts": Boolean(message.reply || message.ephemeral),
  },
    drawReply(message.reply, actions),
    avatar(message.author),
    element("span", { class: "side-time", "aria-hidden": "true" }, clock(moment)),
    element("header", {},
      element("strong", { class: "name" }, message.author.name),
      message.author.is_app ? element("span", { class: "app-tag" }, "APP") : null,
      element("time", { datetime: message.timestamp }, messageTime(moment))),
    drawBody(message, actions, press),
    message.ephemeral ? null : drawActions(message, actions));
  fillTimestamps(item);
  return item;
}

function drawBody(message, actions, press) {
  const content = element("div", { class: "content", html: message.html });
  if (message.thinking) content.replaceChildren(element("em", { class: "thinking" }, `${message.author.name} is thinking…`));
  if (message.edited) (content.lastElementChild?.matches("p") ? content.lastElementChild : content).append(element("small", { class: "edited" }, " (edited)"));
  return element("div", { class: "body" },
    content,
    ...message.attachments.map(drawAttachment),
    ...message.embeds.map(drawEmbed),
    ...message.rows.map((row) => drawRow(row, message, actions, press)),
    press === "failed" ? element("p", { class: "failed", role: "alert" }, "This interaction failed") : null,
    message.reactions.length ? drawReactions(message, actions) : null,
    message.thread ? element("button", { class: "thread", type: "button", onclick: () => actions.open(message.thread.id) }, `${message.thread.name} ›`) : null,
    message.ephemeral ? element("p", { class: "only-you" }, "Only you can see this · ",
      element("button", { class: "text-link", type: "button", onclick: () => actions.dismiss(message.id) }, "Dismiss message")) : null);
}

function drawReply(reply, actions) {
  if (!reply) return null;
  if (!reply.message_id) return element("div", { class: "reply gone" }, "Original message was deleted");
  return element("div", { class: "reply" },
    element("button", { class: "text-link", type: "button", "aria-label": `Replying to ${reply.author}: go to the message`, onclick: () => actions.show(reply.message_id) }, `@${reply.author}`),
    element("span", { html: reply.text_html, inert: true }));
}

function drawAttachment(file) {
  if (file.is_image) {
    return element("a", { class: "picture", href: file.url, target: "_blank", rel: "noopener" },
      element("img", { src: file.url, alt: file.description || file.name }));
  }
  return element("div", { class: "file" }, icon("file"),
    element("div", {}, element("a", { href: file.url, download: file.name }, file.name), element("small", {}, file.size)));
}

function drawEmbed(embed) {
  const title = embed.url ? element("a", { href: embed.url, target: "_blank", rel: "noopener noreferrer", html: embed.title_html }) : element("span", { html: embed.title_html });
  const foot = [embed.footer, embed.timestamp ? messageTime(new Date(embed.timestamp)) : ""].filter(Boolean).join(" • ");
  const box = element("article", { class: "embed" },
    embed.author ? element("p", { class: "embed-author" }, embed.author) : null,
    embed.title_html ? element("h3", {}, title) : null,
    embed.description_html ? element("div", { class: "content", html: embed.description_html }) : null,
    embed.fields.length ? element("dl", {}, ...embed.fields.map(drawField)) : null,
    foot ? element("footer", {}, foot) : null);
  if (embed.color) box.style.setProperty("--bar", embed.color);
  return box;
}

function drawField(field) {
  return element("div", { class: field.inline ? "inline" : "" },
    element("dt", { html: field.name_html }), element("dd", { class: "content", html: field.value_html }));
}

function drawRow(row, message, actions, press) {
  return element("div", { class: "row" }, ...row.map((control) => control.kind === "select" ? drawSelect(control) : drawButton(control, message, actions, press)));
}

function drawButton(button, message, actions, press) {
  const label = [button.emoji ? element("span", { class: "emoji", "aria-hidden": "true" }, button.emoji) : null, button.label];
  const style = `button ${buttonStyles[button.style] ?? "secondary"}`;
  if (button.style === 5) {
    return button.disabled || !button.url
      ? element("span", { class: style, "aria-disabled": "true" }, ...label)
      : element("a", { class: style, href: button.url, target: "_blank", rel: "noopener noreferrer" }, ...label, " ↗");
  }
  const pending = Boolean(press) && press === button.custom_id;
  return element("button", {
    class: pending ? `${style} pending` : style, type: "button", disabled: button.disabled, "aria-busy": pending && "true",
    "aria-label": button.label ? undefined : button.emoji, onclick: () => actions.press(message.id, button.custom_id),
  }, ...label);
}

function drawSelect(select) {
  return element("select", { disabled: select.disabled, "aria-label": select.placeholder },
    element("option", {}, select.placeholder), ...select.options.map((label) => element("option", { disabled: true }, label)));
}

function drawReactions(message, actions) {
  return element("div", { class: "reactions" }, ...message.reactions.map(({ emoji, count, custom }) =>
    element("button", { type: "button", disabled: custom, "aria-label": `${emoji}, ${count}`, onclick: () => actions.react(message.id, emoji) },
      element("span", { class: "emoji" }, emoji), String(count))));
}

function drawActions(message, actions) {
  const action = (label, handler, face) => element("button", { type: "button", title: label, "aria-label": label, onclick: handler }, face);
  return element("div", { class: "actions", role: "group", "aria-label": "Message actions" },
    action("React with 👍", () => actions.react(message.id, "👍"), "👍"),
    action("Reply", () => actions.reply(message), icon("reply")),
    message.can_delete ? action("Delete", () => actions.remove(message.id), icon("delete")) : null);
}
