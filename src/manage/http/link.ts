import type { Config } from "../../config.ts";

/** Parameters that are keys. Links do not have them, because links are written into logs. */
const KEYS = ["personal_api_key", "sharing_access_token", "token", "api_key"];
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The address of a request as its client sees it, without keys: what links of answers are made of. Under
 * `WEIR_PUBLIC_URL` where that is set, else by what a trusted proxy says, else by the request itself.
 */
export function linkUrl(request: Request, { publicUrl, trustProxy }: Pick<Config, "publicUrl" | "trustProxy">): URL {
  const asked = new URL(request.url);
  const url = publicUrl === null ? asked : new URL(publicUrl + asked.pathname + asked.search);
  if (publicUrl === null && trustProxy) {
    const [protocol, host] = [forwarded(request, "proto"), forwarded(request, "host")];
    if (protocol === "https" || protocol === "http") url.protocol = protocol;
    if (HOST.test(host)) {
      url.port = "";
      url.host = host;
    }
  }
  for (const name of KEYS) url.searchParams.delete(name);
  return url;
}

/**
 * The host, with its port where the client names one, that a request was sent to: that of a trusted proxy, else of the request
 * itself. Null where it is none.
 */
export function hostOf(request: Request, { trustProxy }: Pick<Config, "trustProxy">): URL | null {
  const named = trustProxy ? forwarded(request, "host") : "";
  const host = HOST.test(named) ? named : (request.headers.get("host") ?? "");
  return HOST.test(host) ? URL.parse(`http://${host}`) : null;
}

/** What a proxy says of the client's request. */
function forwarded(request: Request, name: "proto" | "host"): string {
  return request.headers.get(`x-forwarded-${name}`)?.split(",", 1)[0]?.trim() ?? "";
}

/** An absolute link to the same list with other parameters, null for none. `url`: as `linkUrl` gives it. */
export function linkTo(url: URL, parameters: Readonly<Record<string, string | number | null>>): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) target.searchParams.delete(name);
    else target.searchParams.set(name, String(value));
  }
  return target.href;
}
