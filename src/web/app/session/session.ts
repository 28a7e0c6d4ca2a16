import { signal } from "@preact/signals";
import { forgetAll } from "../api/cache.ts";
import { type Answer, ApiError, call, onSessionEnd } from "../api/client.ts";

export type User = Answer<"GET /api/users/{uuid}/">;

/** The user that is logged in; null: nobody; undefined: not known yet. */
export const user = signal<User | null | undefined>(undefined);

// Pages that need one then lead to the login, and back.
onSessionEnd(() => {
  if (user.peek()) enter(null);
});

/** Finds out whether the cookie of this browser is a session. Throws ApiError where Weir does not answer. */
export async function loadUser(): Promise<void> {
  try {
    user.value = await call("GET /api/users/{uuid}/", { params: { uuid: "@me" } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    user.value = null;
  }
}

/** Whether this browser may have a session: the cookie that goes with it is there. */
export const mayHaveSession = (): boolean => /(?:^|;\s*)(?:__Host-)?weir_csrf=/.test(document.cookie);

/** Forgets what was loaded for the user before, then shows the pages of this one. */
export function enter(next: User | null): void {
  forgetAll();
  user.value = next;
}

/** Ends the session of this browser, in all its tabs, and leaves nothing of it in memory. Throws ApiError. */
export async function logOut(): Promise<void> {
  await call("POST /api/logout/", {});
  enter(null);
  otherTabs.postMessage(ENDED);
  window.location.assign("/login");
}

const ENDED = "ended";
const otherTabs = new BroadcastChannel("weir_session");
otherTabs.addEventListener("message", ({ data }) => {
  if (data === ENDED && user.peek()) enter(null);
});
