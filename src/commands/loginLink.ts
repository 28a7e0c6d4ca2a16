import type { Config } from "../config.ts";
import { createLoginLink, findOwner, findUserByEmail, LOGIN_LINK_MS } from "../metadata/mod.ts";
import { setupUrl } from "../roles/urls.ts";
import { TerminalError } from "../types/mod.ts";
import type { Arguments } from "./kit/command.ts";
import type { Deed } from "./kit/records.ts";

const MINUTE_MS = 60_000;

/** `weir login-link`. The deed throws TerminalError `not_found`. */
export function readLoginLink(
  { options: { email, json } }: Arguments<{ email: "text"; json: "flag" }>,
  config: Config,
): Deed {
  return async (db) => {
    const made = await db.write(async (tx) => {
      const user = await (email === undefined ? findOwner(tx) : findUserByEmail(tx, email));
      return user === null ? null : { user, token: await createLoginLink(tx, user.id, Date.now()) };
    });
    if (made === null) {
      const problem =
        email === undefined ? "There is no user yet: run `weir start` once." : `There is no user ${email}.`;
      throw new TerminalError("not_found", problem);
    }
    const url = setupUrl(config, made.token);
    if (json === true) return { text: JSON.stringify({ url, email: made.user.email }) };
    const note = `It sets the password of ${made.user.email}, once, within ${LOGIN_LINK_MS / MINUTE_MS} minutes.`;
    return { text: url, note };
  };
}
