import { dirname } from "node:path";
import { describeError, TerminalError } from "../../../types/mod.ts";
import { formatByName } from "../../mapping/mod.ts";
import { type Input, inputsOf, Reader } from "../../reading/mod.ts";
import type { Staging } from "../../types.ts";
import { openData, writeData } from "./dataFile.ts";
import { type Datum, datumOf, revenueOf } from "./eventData.ts";
import type { UmamiOptions } from "./options.ts";
import { type Table, tableOf } from "./table.ts";

const NAME = "event_data.sqlite";

/** Whether a table has properties of events, and no rows of its own. */
export const isOfEvents = (table: Table): boolean => table === "event_data" || table === "revenue";

/** Makes the properties of `event_data` and `revenue` ready to be looked up, where such files were given. */
export async function stageData(options: UmamiOptions, to: Staging): Promise<void> {
  const all = await inputsOf(options.files, { endpoint: options.s3Endpoint, env: process.env });
  const inputs = all.filter(({ name }) => isOfEvents(tableOf(name)) && formatByName(name) !== null);
  if (inputs.length === 0) return;
  await to.part(NAME, (path) => writeData(path, dataIn(inputs, to)));
  options.data = openData(to.path(NAME));
}

/** A row that cannot be read ends it: without it an event would lack a property, and nothing would tell. */
async function* dataIn(inputs: readonly Input[], to: Staging): AsyncGenerator<Datum[]> {
  for (const [done, input] of inputs.entries()) {
    to.tell(done, inputs.length);
    const format = formatByName(input.name)!;
    const read = tableOf(input.name) === "revenue" ? revenueOf : datumOf;
    const reader = new Reader(input, { format, scratch: dirname(to.path(NAME)), signal: to.signal });
    for await (const rows of reader.rows()) {
      yield rows.flatMap((row) => {
        try {
          return read(row.value()) ?? [];
        } catch (error) {
          throw new TerminalError("unreadable_row", `${input.name} line ${row.line}: ${describeError(error)}`);
        }
      });
    }
  }
}
