import { findUserByEmail, holdRow, type User } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";

/** Throws ApiError 400 where another user logs in with this e-mail, in any case of its letters. */
export async function requireOwnEmail(
  tx: Tx,
  { id, organizationId }: Pick<User, "id" | "organizationId">,
  email: string,
): Promise<void> {
  // Others that take an address, or join with one, wait.
  await holdRow(tx, "organizations", organizationId);
  const holder = await findUserByEmail(tx, email);
  if (holder === null || holder.id === id) return;
  throw invalidField("email", "unique", "There is already an account with this email address.");
}
