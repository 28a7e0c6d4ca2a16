import type { Environment } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { isObject } from "../http/fields.ts";
import { readRecords } from "../query/records.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { settingOf } from "../settings/fields.ts";

/**
 * Filters of test accounts are read in everybody's questions, so a caller puts no cohort into them that is closed to it. What was there
 * before may stay. Throws ApiError 400.
 */
export async function checkTestAccounts(
  tx: Tx,
  { caller: { cohorts } }: Pick<EnvironmentCall, "caller">,
  before: Environment,
  filters: Json | undefined,
): Promise<void> {
  if (cohorts === null || !Array.isArray(filters)) return;
  const known = new Set([settingOf(before, "test_account_filters")].flat().map((one) => JSON.stringify(one)));
  const added = filters.filter((one) => !known.has(JSON.stringify(one)));
  if (!/cohort/i.test(JSON.stringify(added))) return;
  const records = await readRecords(tx, before.id);
  for (const filter of added) {
    if (!isObject(filter)) continue;
    const { type, key, value = null } = filter;
    const closed = type === "cohort" ? [value].flat().find((id) => !records.isOpen(Number(id), cohorts)) : undefined;
    if (closed !== undefined) throw refused(`there is no cohort ${JSON.stringify(closed)}`);
    // SQL may name one in many ways.
    if (type === "hogql" && /cohort/i.test(String(key)))
      throw refused("SQL that names a cohort is not for you to set here.");
  }
}

const refused = (detail: string) => invalidField("test_account_filters", "invalid_input", detail);
