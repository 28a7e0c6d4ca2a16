/** Names of browsers as Umami writes them, and as Weir's clients do. */
const BROWSERS = new Map([
  ["android", "Android Mobile"],
  ["chrome", "Chrome"],
  ["chromium-webview", "Chrome"],
  ["crios", "Chrome iOS"],
  ["edge", "Microsoft Edge"],
  ["edge-chromium", "Microsoft Edge"],
  ["edge-ios", "Microsoft Edge"],
  ["facebook", "Facebook Mobile"],
  ["firefox", "Firefox"],
  ["fxios", "Firefox iOS"],
  ["ie", "Internet Explorer"],
  ["ios", "Mobile Safari"],
  ["ios-webview", "Mobile Safari"],
  ["opera", "Opera"],
  ["opera-mini", "Opera Mini"],
  ["safari", "Safari"],
  ["samsung", "Samsung Internet"],
]);

/** The name of a browser; one that is not known stays. */
export function browserName(name: string): string {
  return BROWSERS.get(name) ?? name;
}
