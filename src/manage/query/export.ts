import type { Table } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { csvReply, csvText } from "../http/csv.ts";
import type { LongList } from "../http/longList.ts";
import { streamed } from "../http/reply.ts";
import type { Answer } from "./answer.ts";

const MAX_NAME_CHARACTERS = 100;
const NOTHING: Table = { columns: ["error"], rows: [["No data available or unable to format for export."]] };

/** The result of an answer as a table; one that says so where there is none. */
function tableOf(answer: Answer | null): Table {
  return answer?.text ? tableIn(answer, answer.text.parsed()) : NOTHING;
}

const tableIn = ({ question }: Answer, response: JsonObject): Table => question.query.table(response) ?? NOTHING;

/** The same as a file. `name`: of the insight, where it has one. A long table is made while it is sent. */
export async function tableReply(answer: Answer | null, name: string | null): Promise<Response> {
  if (answer?.text?.list) {
    return streamed([longTable(answer, answer.text.parsed(), answer.text.list)], {
      headers: fileReply("", name).headers,
    });
  }
  const { columns, rows } = tableOf(answer);
  return fileReply(csvText(columns, rows), name);
}

/** Its texts, of which the first has the header; each piece of rows is a table of its own. */
async function* longTable(answer: Answer, response: JsonObject, list: LongList): AsyncGenerator<string> {
  let hasHeader = false;
  for await (const results of list.pieces()) {
    const { columns, rows } = tableIn(answer, { ...response, results: results as Json[] });
    const text = csvText(columns, rows);
    yield hasHeader ? text.slice(csvText(columns, []).length) : text;
    hasHeader = true;
  }
}

function fileReply(text: string, name: string | null): Response {
  return csvReply(text, { fileName: `${fileNameOf(name || "insight")}.csv` });
}

/** What all systems take, and no half characters. */
function fileNameOf(name: string): string {
  return [...name.replace(/[^\p{L}\p{M}\p{N} _.-]+/gu, "-")].slice(0, MAX_NAME_CHARACTERS).join("");
}
