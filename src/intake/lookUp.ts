import type { Lake, LakeQuery } from "../lake/mod.ts";

export interface LookUpParts {
  lake: Pick<Lake, "query">;
  /** Deadline of the query. */
  deadlineMs: number;
}

/** Rows of what is to be deleted, from all that is stored of a project. Throws the errors of the lake. */
export async function lookUp<Row extends unknown[]>(
  { lake, deadlineMs }: LookUpParts,
  wanted: Pick<LakeQuery, "teamId" | "sql" | "maxRows">,
): Promise<Row[]> {
  const { rowsJson } = await lake.query({ ...wanted, range: { fromMs: null, toMs: null }, deadlineMs });
  return JSON.parse(rowsJson) as Row[];
}
