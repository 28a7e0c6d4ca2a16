import { signal } from "@preact/signals";
import { forgetAll } from "../api/cache.ts";
import { type Answer, ApiError, call } from "../api/client.ts";

export type User = Answer<"GET /api/users/{uuid}/">;

/** The user that is logged in; null: nobody; undefined: not known yet. */
export const user = signal<User | null | undefined>(undefined);

/** Finds out whether the cookie of this browser is a session. Throws ApiError where Weir does not answer. */
export async function loadUser(): Promise<void> {
  try {
    user.value = await call("GET /api/users/{uuid}/", { params: { uuid: "@me" } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    user.value = null;
  }
}

/** Forgets what was loaded for the user before, then shows the pages of this one. */
export function enter(next: User | null): void {
  forgetAll();
  user.value = next;
}
