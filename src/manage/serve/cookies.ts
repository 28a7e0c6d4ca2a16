import { SESSION_MAX_MS } from "../../metadata/mod.ts";
import { csrfTokenOf } from "./csrf.ts";
import type { OpenCall } from "./route.ts";

type Asked = Pick<OpenCall, "request" | "url">;

/** Under https no other site, and no page of this host without https, can set it. */
const SECURE_NAME = "__Host-weir_session";
const NAME = "weir_session";
/** Read by the pages, which send it back in a header. One of another site would make all that they change fail. */
const SECURE_CSRF_NAME = "__Host-weir_csrf";
const CSRF_NAME = "weir_csrf";

const isSecure = ({ url }: Asked): boolean => url.protocol === "https:";
const sessionName = (call: Asked): string => (isSecure(call) ? SECURE_NAME : NAME);

/** The token of the session that a request names. Null for none, and for two: another program of the host may have set one. */
export function sessionTokenOf(call: Asked): string | null {
  const prefix = `${sessionName(call)}=`;
  const pairs = (call.request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const found = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
  return found.length === 1 && found[0] !== "" ? found[0]! : null;
}

/** The answer, with the cookies of a session that was opened: that of the session, and the token of its pages. */
export function withSession(call: Asked, token: string, response: Response): Response {
  const maxAge = `Max-Age=${SESSION_MAX_MS / 1000}`;
  response.headers.append("Set-Cookie", sessionCookie(call, token, maxAge));
  response.headers.append("Set-Cookie", csrfCookie(call, csrfTokenOf(token), maxAge));
  return response;
}

/** The answer, with which a browser forgets both cookies. */
export function withoutSession(call: Asked, response: Response): Response {
  response.headers.append("Set-Cookie", endedCookie(call));
  response.headers.append("Set-Cookie", csrfCookie(call, "", "Max-Age=0"));
  return response;
}

/** With it a browser forgets its session. */
export const endedCookie = (call: Asked): string => sessionCookie(call, "", "Max-Age=0");

function sessionCookie(call: Asked, value: string, maxAge: string): string {
  return [`${sessionName(call)}=${value}`, "Path=/", maxAge, "HttpOnly", "SameSite=Lax", ...secure(call)].join("; ");
}

function csrfCookie(call: Asked, value: string, maxAge: string): string {
  const name = isSecure(call) ? SECURE_CSRF_NAME : CSRF_NAME;
  return [`${name}=${value}`, "Path=/", maxAge, "SameSite=Strict", ...secure(call)].join("; ");
}

const secure = (call: Asked): string[] => (isSecure(call) ? ["Secure"] : []);
