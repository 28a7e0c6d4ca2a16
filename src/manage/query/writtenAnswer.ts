import { JsonFile } from "../../lake/mod.ts";
import { jsonText, type QueryResponse } from "../../query/mod.ts";

/** A result whose text is longer has its rows apart: they are never in memory together again. */
const LONG_LENGTH = 1024 * 1024;
/** Of the text of a piece of rows. */
const PIECE_LENGTH = 256 * 1024;

/** An answer as it is kept. */
interface WrittenAnswer {
  text: string;
  /** The rows, which are then not in the text. */
  file: JsonFile | null;
}

/** An answer as text; with its rows in a file where it is long. `newPath`: where that may lie. */
export async function writtenAnswer(answer: QueryResponse, newPath: () => string): Promise<WrittenAnswer> {
  if (answer.resultsFile !== undefined) {
    const { resultsFile: file, results: _, ...rest } = answer;
    return { text: JSON.stringify(rest), file };
  }
  const text = await jsonText(answer);
  const { results, ...rest } = answer;
  if (text.length < LONG_LENGTH || !Array.isArray(results)) return { text, file: null };
  const file = await JsonFile.write(newPath(), piecesOf(results));
  return { text: JSON.stringify(rest), file };
}

/** Texts of several elements each. */
function* piecesOf(list: readonly unknown[]): Generator<string> {
  let piece: string[] = [];
  let length = 0;
  for (const element of list) {
    const text = JSON.stringify(element);
    piece.push(text);
    length += text.length;
    if (length < PIECE_LENGTH) continue;
    yield piece.join(",");
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield piece.join(",");
}
