import { SQL } from "bun";
import { RetryableError, TerminalError, WeirError } from "../../../types/mod.ts";

/** Classes of SQLSTATE that pass: connection, resources (a full disk too), an operator's intervention, rollbacks. */
const PASSING = /^(08|53|57|40|55P03)/;

/** What a failure of the database means for the run. */
export function postgresProblem(error: unknown): unknown {
  if (error instanceof WeirError || !(error instanceof SQL.SQLError)) return error;
  const state = error instanceof SQL.PostgresError ? (error.errno ?? "") : "";
  const sentence = `The database answered: ${error.message}${state === "" ? "" : ` (${state})`}`;
  const isAnswer = error instanceof SQL.PostgresError && error.code === "ERR_POSTGRES_SERVER_ERROR";
  return !isAnswer || PASSING.test(state)
    ? new RetryableError("destination_unavailable", sentence, { cause: error })
    : new TerminalError("destination_refused", sentence, { cause: error });
}
