/** A table of Markdown. */
export function table(titles: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)].join("\n");
}

/** With commas between thousands. */
export const whole = (n: number) => Math.round(n).toLocaleString("en-US");
export const mib = (bytes: number) => `${whole(bytes / 2 ** 20)} MiB`;
/** As many digits as are worth reading. */
export const ms = (n: number) => Number(n.toPrecision(n < 10 ? 2 : 3));
