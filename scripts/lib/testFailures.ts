/** A longer text is cut in the middle: its start has the error, its end the expected value. */
const MAX_LINES = 120;

/** The output of `bun test` for each test that failed, with the name of its file. */
export function failuresIn(output: string): string[] {
  const failures: string[] = [];
  let file = "";
  let said: string[] = [];
  for (const line of output.split("\n")) {
    // The list at the end only repeats names.
    if (/^\d+ tests? failed:$/.test(line)) break;
    if (/^\S+\.test\.ts:$/.test(line)) file = line;
    else if (line.startsWith("✗ ")) failures.push(line);
    else if (line.startsWith("(fail) ")) failures.push([file, ...shortened(said), line].join("\n"));
    else if (!/^\((pass|skip|todo)\) /.test(line)) {
      said.push(line);
      continue;
    }
    said = [];
  }
  return failures;
}

function shortened(lines: readonly string[]): readonly string[] {
  const left = lines.length - MAX_LINES;
  if (left <= 0) return lines;
  return [...lines.slice(0, MAX_LINES / 2), `… ${left} lines …`, ...lines.slice(-MAX_LINES / 2)];
}
