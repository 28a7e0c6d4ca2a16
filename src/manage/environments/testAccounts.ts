import { ALL_NAMEABLE, type Environment } from "../../metadata/mod.ts";
import { isCohortType } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { isObject } from "../http/fields.ts";
import { namedIn } from "../query/question.ts";
import { readRecords } from "../query/records.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { settingOf } from "../settings/fields.ts";

/**
 * Filters of test accounts are read in everybody's questions, so a caller puts no cohort and no action into them that is closed to it. What
 * was there before may stay. Throws ApiError 400.
 */
export async function checkTestAccounts(
  tx: Tx,
  { caller: { nameable } }: Pick<EnvironmentCall, "caller">,
  before: Environment,
  filters: Json | undefined,
): Promise<void> {
  const { cohorts, actions } = nameable;
  if ((cohorts === null && actions === null) || !Array.isArray(filters)) return;
  const known = new Set([settingOf(before, "test_account_filters")].flat().map((one) => JSON.stringify(one)));
  const added = filters.filter((one) => !known.has(JSON.stringify(one)));
  const records = await readRecords(tx, before.id);
  for (const filter of added) {
    if (!isObject(filter)) continue;
    const { type = null, key, value = null } = filter;
    const isClosed = (id: Json) => cohorts !== null && !records.isOpen(Number(id), cohorts);
    const closed = isCohortType(type) ? [value].flat().find(isClosed) : undefined;
    if (closed !== undefined) throw refused(`there is no cohort ${JSON.stringify(closed)}`);
    // SQL may name one in many ways.
    const named = type === "hogql" ? namedIn(String(key), nameable) : ALL_NAMEABLE;
    if (named.cohorts !== null) throw refused("SQL that names a cohort is not for you to set here.");
    if (named.actions !== null) throw refused("SQL that names an action is not for you to set here.");
  }
}

const refused = (detail: string) => invalidField("test_account_filters", "invalid_input", detail);
