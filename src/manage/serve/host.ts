import { isIP } from "node:net";
import { invalidField } from "../http/errors.ts";
import { hostOf } from "../http/link.ts";
import type { OpenCall } from "./route.ts";

type Asked = Pick<OpenCall, "request" | "deps">;

/** The name of the host that a request was sent to, without its port; empty where it names none. */
export function hostNameOf({ request, deps }: Asked): string {
  return hostOf(request, deps.config)?.hostname ?? "";
}

/**
 * Throws ApiError 400 unless the request was sent to an address, to `localhost`, or to the name in `WEIR_HOST` or `WEIR_PUBLIC_URL`. Any other name
 * can be one that a foreign page points at this machine (DNS rebinding): its scripts would be of the same origin.
 */
export function requireKnownHost(call: Asked): void {
  const name = hostNameOf(call);
  const { publicUrl, host } = call.deps.config;
  if (isAddress(name) || name === "localhost" || name.endsWith(".localhost") || name === host) return;
  if (publicUrl !== null && name === new URL(publicUrl).hostname) return;
  const remedy =
    publicUrl === null
      ? "set WEIR_PUBLIC_URL to the address by which browsers reach Weir, e.g. https://weir.example."
      : `WEIR_PUBLIC_URL is ${publicUrl}. A proxy in between must pass the Host on, or name it in X-Forwarded-Host with WEIR_TRUST_PROXY=1.`;
  throw invalidField(null, "unknown_host", `Login is refused at the host "${name}": ${remedy}`);
}

const isAddress = (name: string): boolean => isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
