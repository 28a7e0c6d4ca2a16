import { createReadStream } from "node:fs";

/** The lines of a part in groups: at most so many, and about so many characters; a line is never cut. */
export async function* groupsOfLines(
  path: string,
  { lines: most, units }: { lines: number; units: number },
): AsyncGenerator<string[]> {
  let group: string[] = [];
  let held = 0;
  for await (const line of linesOf(path)) {
    if (group.length > 0 && (group.length === most || held + line.length > units)) {
      yield group;
      group = [];
      held = 0;
    }
    group.push(line);
    held += line.length;
  }
  if (group.length > 0) yield group;
}

/** Only a line feed ends a line: JSON texts may hold other characters that some readers take for one. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const pieces: string[] = [];
  for await (const chunk of createReadStream(path, "utf8") as AsyncIterable<string>) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      pieces.push(chunk.slice(start, end));
      yield pieces.splice(0).join("");
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.slice(start));
  }
  if (pieces.length > 0) yield pieces.join("");
}
