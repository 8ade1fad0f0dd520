// Pages opened as files may not start workers, which search needs: a hidden frame does its work.
(() => {
  if (location.protocol !== "file:") return;
  const load = (frame, url) =>
    new Promise((done, failed) => {
      const script = frame.document.createElement("script");
      script.onload = done;
      script.onerror = failed;
      script.src = url;
      frame.document.body.append(script);
    });
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      const element = document.createElement("iframe");
      element.hidden = true;
      element.title = "search";
      document.body.append(element);
      const frame = (this.frame = element.contentWindow);
      frame.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      frame.importScripts = (...urls) =>
        urls.reduce((before, next) => before.then(() => load(frame, next)), Promise.resolve());
      this.ready = load(frame, new URL(url, location.href).href);
    }
    postMessage(data) {
      this.ready.then(() =>
        this.frame.dispatchEvent(new this.frame.MessageEvent("message", { data }))
      );
    }
    terminate() {
      this.frame.frameElement.remove();
    }
  }
  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
})();
