import { parseArgs } from "node:util";
import { type Config, loadConfig } from "../../config.ts";
import { describeError, UsageError } from "../../types/mod.ts";

/** Options by name: `text` takes a value, `flag` takes none. */
export type Options = Record<string, "text" | "flag">;

/** The arguments after the name of a command. */
export interface Arguments<O extends Options = Options> {
  options: { [Name in keyof O]?: O[Name] extends "text" ? string : boolean };
  /** Arguments that are no options, in order. */
  words: string[];
}

/** One entry of the table of commands. */
export interface Command {
  name: string;
  /** For the list of commands. */
  summary: string;
  /** What `weir NAME --help` prints. */
  usage: string;
  /** The usage for these arguments, where it depends on them. */
  usageFor?(argv: readonly string[]): Promise<string>;
  /** Gives the exit code. Throws UsageError before anything is opened or made. */
  run(argv: readonly string[]): Promise<number>;
}

export interface Description<O extends Options> extends Pick<Command, "name" | "summary" | "usage"> {
  options?: O;
  /** The most words that it takes; 0 when absent. */
  words?: number;
  /** The options that each action takes, which is the first word; `""` is for any other word, and for none. When absent: all. */
  actions?: Record<string, readonly (keyof O & string)[]>;
  run(given: Arguments<O>, config: Config): Promise<number>;
}

/** A command whose arguments and settings are read before it runs. */
export function command<const O extends Options = Record<never, never>>(description: Description<O>): Command {
  const { name, summary, usage, options = {} as O, words = 0, actions = {}, run } = description;
  return {
    ...{ name, summary, usage },
    run: async (argv) => {
      const given = readArguments(argv, options, words);
      refuseOthers(name, given, actions);
      return run(given, loadConfig());
    },
  };
}

/** Throws UsageError for an option that the action does not take. */
function refuseOthers(
  command: string,
  { options, words }: Arguments,
  actions: Record<string, readonly string[]>,
): void {
  const action = words[0] !== undefined && Object.hasOwn(actions, words[0]) ? words[0] : "";
  const other = Object.keys(options).find((name) => actions[action]?.includes(name) === false);
  if (other === undefined) return;
  throw new UsageError(`\`weir ${action === "" ? command : `${command} ${action}`}\` takes no --${other}.`);
}

/** Throws UsageError for an unknown option and for more words than `most`. */
export function readArguments<O extends Options>(argv: readonly string[], options: O, most: number): Arguments<O> {
  const types = { text: "string", flag: "boolean" } as const;
  const config = Object.fromEntries(Object.entries(options).map(([name, kind]) => [name, { type: types[kind] }]));
  const { values, positionals } = parsed([...argv], config);
  const [extra] = positionals.slice(most);
  if (extra !== undefined) throw unexpected(extra);
  return { options: values as Arguments<O>["options"], words: positionals };
}

function parsed(args: string[], options: Record<string, { type: "string" | "boolean" }>) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const [sentence = ""] = describeError(error).split("\n");
    throw new UsageError(`${sentence.replace(/\.$/, "")}.`);
  }
}

/** For a word that the command does not take. */
export const unexpected = (word: string): UsageError => new UsageError(`Unexpected argument "${word}".`);

/** A number argument. Throws UsageError that names `what` unless it is a whole number from `least` to `most`. */
export function wholeNumber(what: string, text: string, least = 1, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`${what} must be a whole number ${range}, not "${text}".`);
}
