import type { StoredRow } from "../../actors/contract.ts";
import { eachMember, keyText } from "../json/mod.ts";
import { expandFirst } from "../persons/mod.ts";
import {
  type LogRow,
  ownText,
  type PropertyOwner,
  type PropertyType,
  type SeenDefinitions,
  type Subject,
} from "../types/mod.ts";
import type { Outcome } from "./step.ts";

/** Events, and rows of the log, whose properties are looked at in a flush: all of a small one, of a large one evenly many. */
const SAMPLE_ROWS = 200;
/** Properties, and names of events, that one flush may tell of; the rest is told by later ones. */
const PROPERTIES_MAX = 1_000;
const EVENTS_MAX = 5_000;
/** Then all is told again: detection may have been switched on, and events show when they were last seen. */
const REMEMBERED_MS = 3_600_000;
/** As PostHog; bytes of UTF-8. */
const NAME_MAX_BYTES = 200;
/** They describe a person or a group, not the event. */
const NOT_OF_EVENTS = /^\$(set|set_once|unset|groups|group_[0-4])$/;

/** What is known, or told, of one project. */
interface Project {
  events: Set<string>;
  /** By owner and name; whether a type is known. */
  properties: Map<string, Map<string, boolean>>;
}

/**
 * Finds names of events that have no definition yet, and in a sample of each flush such properties, so that it costs next to
 * nothing however much arrives: a property that few events have is found when one of them falls into the sample.
 */
export class DefinitionScan {
  private known = new Map<number, Project>();
  private remembered = 0;
  private forgotAtMs = Number.NEGATIVE_INFINITY;
  private turn = 0;

  /** `rememberedMax`: names that are kept in memory. */
  constructor(private readonly rememberedMax: number) {}

  /** What a flush tells that is not known; it becomes known by `adopt`. */
  find({ rows, log }: Pick<Outcome, "rows" | "log">, nowMs: number): SeenDefinitions[] {
    if (nowMs - this.forgotAtMs >= REMEMBERED_MS) this.forget(nowMs);
    this.turn++;
    const told = new Told(this.known, nowMs);
    for (const row of rows) told.addEvent(row);
    for (const row of sampleOf(rows, this.turn)) told.addProperties(row);
    for (const row of sampleOf(log, this.turn)) told.addSaid(row);
    return [...told.seen.values()];
  }

  /** The commit that notes them has happened. */
  adopt(seen: readonly SeenDefinitions[]): void {
    for (const { teamId, events, properties } of seen) {
      const project = projectIn(this.known, teamId);
      for (const name of events) project.events.add(ownText(name));
      for (const { owner, name, propertyType } of properties)
        namesIn(project, owner).set(ownText(name), propertyType !== null);
      this.remembered += events.length + properties.length;
    }
    if (this.remembered > this.rememberedMax) this.forget(this.forgotAtMs);
  }

  private forget(nowMs: number): void {
    this.known = new Map();
    this.remembered = 0;
    this.forgotAtMs = nowMs;
  }
}

/** What is not known, each once. */
class Told {
  readonly seen = new Map<number, SeenDefinitions>();
  private readonly projects = new Map<number, Project>();
  private events = 0;
  private properties = 0;

  constructor(
    private readonly known: Map<number, Project>,
    private readonly nowMs: number,
  ) {}

  addEvent({ teamId, event }: StoredRow): void {
    if (this.known.get(teamId)?.events.has(event)) return;
    const { events } = projectIn(this.projects, teamId);
    if (events.has(event) || this.events >= EVENTS_MAX || !fits(event)) return;
    events.add(event);
    this.seenOf(teamId).events.push(event);
    this.events++;
  }

  addProperties({ teamId, event, properties }: StoredRow): void {
    // Those of `$groupidentify` are of the group.
    if (event === "$groupidentify" || !fits(event)) return;
    const known = this.known.get(teamId)?.properties.get(EVENT.type);
    eachMember(properties, (keyStart, keyEnd, valueStart, valueEnd) => {
      const name = keyText(properties, keyStart, keyEnd);
      if (known?.get(name) === true || NOT_OF_EVENTS.test(name)) return;
      this.addProperty(teamId, EVENT, name, () => properties.slice(valueStart, valueEnd));
    });
  }

  addSaid(row: LogRow): void {
    if (row.kind === "first" || row.kind === "earlier") for (const said of expandFirst(row)) this.addSaid(said);
    if (row.kind !== "property" || row.op === "unset") return;
    this.addProperty(row.teamId, ownerOf(row.subject), row.key, () => row.value);
  }

  private addProperty(teamId: number, owner: PropertyOwner, name: string, json: () => string): void {
    const known = this.known.get(teamId)?.properties.get(keyOf(owner))?.get(name);
    if (known === true || this.properties >= PROPERTIES_MAX || !fits(name)) return;
    const told = namesIn(projectIn(this.projects, teamId), owner);
    const before = told.get(name);
    if (before === true) return;
    const propertyType = detectType(name, json(), this.nowMs);
    if (propertyType === null && (known === false || before === false)) return;
    told.set(name, propertyType !== null);
    this.seenOf(teamId).properties.push({ owner, name, propertyType });
    this.properties++;
  }

  private seenOf(teamId: number): SeenDefinitions {
    return this.seen.getOrInsertComputed(teamId, () => ({ teamId, events: [], properties: [] }));
  }
}

const EVENT: PropertyOwner = { type: "event" };
const PERSON: PropertyOwner = { type: "person" };

const ownerOf = (subject: Subject): PropertyOwner =>
  subject.type === "person" ? PERSON : { type: "group", index: subject.index };

const keyOf = (owner: PropertyOwner): string => (owner.type === "group" ? `group ${owner.index}` : owner.type);

function projectIn(projects: Map<number, Project>, teamId: number): Project {
  return projects.getOrInsertComputed(teamId, () => ({ events: new Set(), properties: new Map() }));
}

function namesIn({ properties }: Project, owner: PropertyOwner): Map<string, boolean> {
  const key = keyOf(owner);
  return properties.getOrInsertComputed(key, () => new Map());
}

const fits = (name: string): boolean =>
  name !== "" && !name.includes("\0") && Buffer.byteLength(name) <= NAME_MAX_BYTES;

/** Evenly many of a long list, others with each turn. */
function* sampleOf<T>(list: readonly T[], turn: number): Iterable<T> {
  const step = Math.max(1, Math.ceil(list.length / SAMPLE_ROWS));
  for (let i = turn % step; i < list.length; i += step) yield list[i]!;
}

/** Of these keys values look like something else at times (a version, a flag that is on); they are texts. */
const ALWAYS_TEXT = /^(utm_|\$initial_utm_|\$feature\/|\$survey_response|\$feature_flag_response$)/;
/** Names of times. */
const NAMES_TIME = /time|date|_at|-at|createdat|updatedat/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;
const EMAIL_DATE =
  /^([A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(:\d{2})? ([+-]\d{4}|GMT|UTC?|[ECMP][SD]T)$/;
const LIKE_A_DATE = /^(\d{4}[/-][0-2]\d[/-][0-3]\d|[0-2]\d[/-][0-3]\d[/-]\d{4})([ T][0-2]\d:[0-6]\d:[0-6]\d.*)?$/;
const HALF_A_YEAR_S = 15_768_000;

/**
 * The type of a property by one value of it, given as JSON text: PostHog's rules. Null for null, lists and objects, which tell
 * nothing.
 */
export function detectType(name: string, json: string, nowMs: number): PropertyType | null {
  const first = json.charAt(0);
  if (first === "n" || first === "[" || first === "{") return null;
  const key = name.toLowerCase();
  if (ALWAYS_TEXT.test(key)) return "String";
  if (first === "t" || first === "f") return "Boolean";
  if (first !== '"') return NAMES_TIME.test(key) && isUnixTime(json, nowMs) ? "DateTime" : "Numeric";
  const text = String(JSON.parse(json)).trim();
  if (/^(true|false|TRUE|FALSE)$/.test(text)) return "Boolean";
  return isDate(text) ? "DateTime" : "String";
}

const isDate = (text: string): boolean => ISO_DATE.test(text) || EMAIL_DATE.test(text) || LIKE_A_DATE.test(text);

/** In seconds or any smaller unit, and not older than half a year. */
function isUnixTime(json: string, nowMs: number): boolean {
  return /^\d+$/.test(json) && Number(json) >= nowMs / 1000 - HALF_A_YEAR_S;
}
