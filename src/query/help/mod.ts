import type { JsonObject } from "../../types/mod.ts";
import type { HelpKind } from "./kind.ts";
import { HOGQL_METADATA } from "./metadata.ts";
import { DATABASE_SCHEMA } from "./schema.ts";

/** What editors of SQL ask. */
export const HELP: readonly HelpKind[] = [DATABASE_SCHEMA, HOGQL_METADATA];

/** The kind that a node names, where it asks about the language. */
export const helpKindOf = ({ kind }: JsonObject): HelpKind | undefined => HELP.find(({ name }) => name === kind);
