import { compileForExport } from "../../query/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { namedBy } from "../query/records.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { exportContext } from "./context.ts";

/** Throws ApiError 400 where the query of an export of the model `hogql` is missing or wrong, or another model has one. */
export async function checkHogql(
  { deps, environment, caller }: EnvironmentCall,
  { model, hogqlQuery }: { model: string; hogqlQuery: string | null },
): Promise<void> {
  if (model !== "hogql") {
    if (hogqlQuery === null) return;
    throw invalidField("hogql_query", "invalid_input", "'hogql_query' is only supported when 'model' is 'hogql'");
  }
  if (hogqlQuery === null) {
    throw invalidField("hogql_query", "invalid_input", "'hogql_query' is required when 'model' is 'hogql'");
  }
  const values = { data_interval_start: "2024-01-01T00:00:00Z", data_interval_end: "2024-01-02T00:00:00Z" };
  const node = { kind: "HogQLQuery", query: hogqlQuery, values };
  try {
    const context = await exportContext(deps)(environment.id);
    await compileForExport(node, { ...context, records: namedBy(context.records, caller.nameable) });
  } catch (error) {
    if (error instanceof TerminalError) throw invalidField("hogql_query", "invalid_input", error.message);
    throw error;
  }
}
