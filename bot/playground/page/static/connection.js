// The WebSocket. It comes back by itself, to the same person and channel, over a reload of the page too.

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;

export class Connection {
  #socket;
  #retryMs = FIRST_RETRY_MS;

  constructor({ hear, opened, closed }) {
    this.hear = hear;
    this.opened = opened;
    this.closed = closed;
    this.#connect();
  }

  get isOpen() { return this.#socket.readyState === WebSocket.OPEN; }

  send(type, fields = {}) {
    if (this.isOpen) this.#socket.send(JSON.stringify({ type, ...fields }));
    return this.isOpen;
  }

  // Where the page is, for the next connection. Another tab has its own.
  remember(userId, channelId) {
    sessionStorage.setItem("user", userId);
    sessionStorage.setItem("channel", channelId);
  }

  #connect() {
    const place = ["user", "channel"].map((name) => [name, sessionStorage.getItem(name)]).filter(([, id]) => id);
    this.#socket = new WebSocket(`ws://${location.host}/ws?${new URLSearchParams(place)}`);
    this.#socket.onopen = () => { this.#retryMs = FIRST_RETRY_MS; this.opened(); };
    this.#socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.#socket.onclose = () => {
      this.closed();
      setTimeout(() => this.#connect(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    };
  }
}
