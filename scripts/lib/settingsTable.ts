/** docs/settings.md: every setting, from the comments and the defaults of src/config.ts. */
import { readFileSync } from "node:fs";
import { OTHER_VARIABLES } from "./otherVariables.ts";

const CONFIG = new URL("../../src/config.ts", import.meta.url).pathname;

/** One row a setting, in the order of the comments; a setting without a default says what its absence means. */
export function settingsTable(config: string): string {
  const defaults = defaultsIn(config);
  const rows = [...config.matchAll(/\/\*\* ((?:[A-Z]\w+(?: \/ )?)+): (.*?)\.? \*\//g)].flatMap((match) =>
    match[1]!.split(" / ").map((name) => `| \`${name}\` | ${defaults.get(name) ?? ""} | ${match[2]} |`),
  );
  return ["| variable | default | meaning |", "|---|---|---|", ...rows].join("\n");
}

const SWITCH: Record<string, string> = { true: "1", false: "0" };

function defaultsIn(config: string): Map<string, string> {
  const reads = config.matchAll(/(?:number|text|oneOf|isOn)\("(\w+)"(?:, \["(\w+)"|, ([^,)]+)|\) \?\? "([^"]+)")/g);
  return new Map(
    [...reads].map(([, name, first, value, text]) => [
      name!,
      first ?? text ?? SWITCH[value!] ?? value!.replace(" * ", " ").replaceAll("_", ""),
    ]),
  );
}

function othersTable(): string {
  const rows = OTHER_VARIABLES.map(({ names, readBy, meaning }) => {
    return `| ${names.map((name) => `\`${name}\``).join(", ")} | ${readBy} | ${meaning} |`;
  });
  return ["| variables | read by | meaning |", "|---|---|---|", ...rows].join("\n");
}

/** The page, as it belongs to the config of this moment. */
export function settingsPage(): string {
  return `# Settings

<!-- Written by scripts/docs from src/config.ts. Do not edit by hand. -->

Settings are environment variables. Sizes are in bytes, times in milliseconds; a size is given as a plain number (\`268435456\`, not
\`256 MiB\`). A setting whose meaning begins with \`1:\` or \`0:\` is a switch: it takes these two values. An empty value counts as none.
A value that cannot be read ends the command with a sentence that names the variable. \`scripts/weir\` and \`scripts/start\` also read a
file \`.env\` at the root of the clone.

${settingsTable(readFileSync(CONFIG, "utf8"))}

## Other variables

Keys and credentials for single commands, and what runtimes are told about memory. Those of commands may be in \`.env\` as well.

${othersTable()}
`;
}
