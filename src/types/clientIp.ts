import { isIP } from "node:net";

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;
const ADDRESS_MAX_UNITS = 64;

/**
 * The address of a client: of the connection, or behind a proxy that is trusted the first that `X-Forwarded-For` names.
 * Anyone can send that header, so it counts only where a proxy replaces it. Null when neither is known.
 */
export function clientIp(request: Request, connection: string | null, trustProxy: boolean): string | null {
  const [forwarded = ""] = trustProxy ? (request.headers.get("x-forwarded-for") ?? "").split(",", 1) : [];
  const address = forwarded.trim() || connection;
  return address === null || address.length > ADDRESS_MAX_UNITS ? null : address.replace(MAPPED_IPV4, "");
}

/** What limits count as one client: an address; of IPv6 the /64 network, all of which one client has. Null for null. */
export function networkOf(address: string): string;
export function networkOf(address: string | null): string | null;
export function networkOf(address: string | null): string | null {
  if (address === null) return null;
  const [plain = ""] = address.split("%", 1);
  if (isIP(plain) !== 6) return address;
  const [head = "", tail] = plain.split("::", 2).map((part) => (part === "" ? [] : part.split(":")));
  const before = head === "" ? [] : head;
  const zeros = tail === undefined ? 0 : 8 - before.length - tail.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill("0"), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
