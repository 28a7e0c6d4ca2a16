import type { WalkSession } from "./session.ts";

/** Gives codes to the values in `tables`, in their order, from 1: the table `<table>_values`. */
export async function codeValues(tables: readonly string[], table: string, session: WalkSession): Promise<void> {
  const values = tables.map((name) => `select value from ${name} where value is not null`).join(" union all ");
  await session.run(
    `create temp table ${table}_values as select value, (row_number() over (order by value))::uinteger as code
     from (select distinct value from (${values}))`,
  );
}
