/* A Worker in a hidden frame, with which the search works on pages that are opened from disk:
   browsers start no worker from file: addresses. It has what the search needs of a Worker. */
class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.title = "search";
    document.body.appendChild(frame);
    this.inner = frame.contentWindow;
    this.inner.postMessage = (data) => {
      const message = new MessageEvent("message", { data });
      this.dispatchEvent(message);
      if (this.onmessage) this.onmessage(message);
    };
    this.inner.importScripts = (...urls) =>
      urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
    this.ready = this.load(url);
  }

  load(url) {
    return new Promise((resolve, reject) => {
      const script = this.inner.document.createElement("script");
      script.src = new URL(url, document.baseURI).href;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`cannot load ${url}`));
      this.inner.document.body.appendChild(script);
    });
  }

  postMessage(data) {
    this.ready.then(() => {
      const message = new this.inner.MessageEvent("message", { data });
      this.inner.dispatchEvent(message);
    });
  }

  terminate() {
    this.inner.frameElement.remove();
  }
}

if (location.protocol === "file:") window.Worker = FrameWorker;
