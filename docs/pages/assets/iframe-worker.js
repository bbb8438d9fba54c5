// A page that is opened from a folder may not start workers. The search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      frame.srcdoc =
        "<script>window.postMessage = (data) => frameElement.answer(data); window.importScripts = () => {};<\/script>" +
        `<script src="${new URL(address, location.href)}"><\/script>`;
      frame.onload = () => {
        this.window = frame.contentWindow;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      document.body.append(frame);
    }
    postMessage(data) {
      if (this.window) this.window.dispatchEvent(new MessageEvent("message", { data }));
      else this.waiting.push(data);
    }
  };
}
