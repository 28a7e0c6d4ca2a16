import type { QueryContext, QueryRecords } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { namedBy, readRecords } from "../query/records.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/**
 * Tries what a query would do with a record that has just been written, in the transaction that writes it. `field`: that
 * is to blame. `compile` gets the records that the caller may name besides all of them. Throws ApiError 400.
 */
export async function checkRecord(
  tx: Tx,
  call: EnvironmentCall,
  field: string,
  compile: (context: QueryContext, open: QueryRecords) => void,
): Promise<void> {
  const { environment, nowMs, deps } = call;
  const records = await readRecords(tx, environment.id);
  try {
    compile(deps.queries.calculator.contextOf(environment, nowMs, records), namedBy(records, call.caller.nameable));
  } catch (error) {
    if (!(error instanceof TerminalError) || error.code !== "invalid_query") throw error;
    throw invalidField(field, "invalid_input", error.message);
  }
}
