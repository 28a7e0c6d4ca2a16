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
