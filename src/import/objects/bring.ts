import type { JsonObject } from "../../types/mod.ts";
import { type Api, ApiRefused } from "../api/mod.ts";
import type { ObjectsReport } from "../types.ts";
import { bringDefinitions } from "./definitions.ts";
import { bringGroups } from "./groups.ts";
import { Known } from "./known.ts";
import { carriedOf, fingerprint, OBJECTS } from "./members.ts";
import { type Carried, OBJECT_KINDS, type ObjectId, type ObjectKind, type ProjectObjects } from "./model.ts";
import { inWaves, type Wish } from "./order.ts";
import { type ReferredKind, referencesIn, withIds } from "./references.ts";
import { Reporting } from "./report.ts";
import { bringSettings } from "./settings.ts";
import { bringTiles } from "./tiles.ts";

export interface BringOptions {
  /** Objects that are here with other content are made those of there. */
  overwrite?: boolean;
  /** Where to remember which object became which; null for nowhere. */
  knownPath?: string | null;
}

/** An object of here. */
interface Present {
  carried: Carried;
  mark: string;
}

/**
 * Brings the objects of another project into the one of `api`, numbers in queries and filters included. What is there already is
 * known by what a former run noted, else by equal content, else by its name; so a second run adds nothing, and one after a kill
 * goes on. Throws RetryableError, and ApiRefused where the project cannot be read.
 */
export async function bringObjects(from: ProjectObjects, api: Api, options: BringOptions = {}): Promise<ObjectsReport> {
  const bringing = new Bringing(from, api, options);
  await bringing.everything();
  return bringing.reporting.report;
}

class Bringing {
  readonly reporting = new Reporting();
  private readonly known: Known;
  private readonly overwrite: boolean;
  private readonly here: Record<ObjectKind, Present[]> = {
    ...{ cohort: [], action: [], insight: [], dashboard: [], annotation: [], alert: [] },
  };
  /** By kind and id there: the id here. */
  private readonly became = new Map<string, ObjectId>();
  private readonly taken = new Set<Present>();

  constructor(
    private readonly from: ProjectObjects,
    private readonly api: Api,
    { overwrite = false, knownPath = null }: BringOptions,
  ) {
    this.known = Known.open(knownPath);
    this.overwrite = overwrite;
  }

  async everything(): Promise<void> {
    const { from, api, reporting, overwrite } = this;
    for (const left of from.left) reporting.note({ ...left, outcome: "left_out" });
    await this.bringGroupTypes();
    const indexOf = (index: number) => this.resolve("group_type", index);
    if (from.groups !== undefined) await bringGroups(from.groups, { api, reporting, indexOf });
    await bringDefinitions(from.definitions, { api, reporting, overwrite, resolve: this.resolve });
    for (const kind of OBJECT_KINDS) {
      const items = (await api.all(OBJECTS[kind].path)).filter((item) => item.deleted !== true);
      for (const item of items) {
        const whole = kind === "dashboard" ? await api.object(`dashboards/${Number(item.id)}/`) : item;
        const carried = carriedOf(kind, { ...item, ...whole });
        this.here[kind].push({ carried, mark: fingerprint(carried.body) });
      }
    }
    for (const wave of inWaves(from)) await this.bringWave(wave);
    await bringSettings(from.settings, {
      api,
      reporting,
      overwrite,
      resolve: this.resolve,
      dashboards: this.dashboardHere,
    });
  }

  private readonly resolve = (kind: ReferredKind, id: number): number | null => {
    const here = this.became.get(`${kind} ${id}`);
    return here === undefined ? null : Number(here);
  };
  private readonly dashboardHere = (id: number): number | null => this.resolve("dashboard", id);

  /** Types get their numbers in their order where the project has none of them yet. */
  private async bringGroupTypes(): Promise<void> {
    const names = this.from.groupTypes.filter((name) => name !== "");
    if (names.length === 0) return;
    const answer = await this.api.send("POST", "groups_types/", { group_types: names });
    const types = Array.isArray(answer.group_types) ? (answer.group_types as JsonObject[]) : [];
    for (const [index, name] of this.from.groupTypes.entries()) {
      const type = types.find((one) => one.group_type === name);
      if (type !== undefined) this.became.set(`group_type ${index}`, Number(type.group_type_index));
      else if (name !== "") {
        const reason = "the project has five types of groups already";
        this.reporting.note({ kind: "group_type", id: index, name, outcome: "left_out", reason });
      }
    }
  }

  private async bringWave(wave: readonly Wish[]): Promise<void> {
    const asked = wave.flatMap((wish) => {
      const problem = this.problemOf(wish);
      if (problem === null) return [{ ...wish, body: withIds(wish.carried.body, this.resolve) as JsonObject }];
      this.leaveOut(wish, problem);
      return [];
    });
    // Equal ones are found for all before any is known by its name alone.
    const found = new Map(asked.map((wish) => [wish, this.noted(wish) ?? this.equal(wish.kind, wish.body)]));
    for (const wish of asked) await this.bringOne(wish, wish.body, found.get(wish) ?? this.named(wish.kind, wish.body));
  }

  /** What it refers to and is not here. */
  private problemOf({ carried }: Wish): string | null {
    const missing = referencesIn(carried.body).filter(({ kind, id }) => this.resolve(kind, id) === null);
    if (missing.length === 0) return null;
    return `it refers to ${missing.map(({ kind, id }) => `${kind.replace("_", " ")} ${id}`).join(", ")}, which is not here`;
  }

  private leaveOut({ kind, carried }: Wish, reason: string): void {
    this.reporting.note({ kind, id: carried.id, name: nameOf(carried.body), outcome: "left_out", reason });
  }

  private noted({ kind, carried }: Wish): Present | "gone" | undefined {
    const known = this.known.find(kind, carried.id);
    if (known === undefined) return undefined;
    const present = this.here[kind].find((one) => one.carried.id === known);
    if (present !== undefined) this.taken.add(present);
    return present ?? "gone";
  }

  private equal(kind: ObjectKind, body: JsonObject): Present | undefined {
    const mark = fingerprint(body);
    return this.take(this.here[kind].find((one) => one.mark === mark && !this.taken.has(one)));
  }

  /** Objects without a name are known by their content alone. */
  private named(kind: ObjectKind, body: JsonObject): Present | undefined {
    if (nameOf(body) === "") return undefined;
    return this.take(this.here[kind].find((one) => nameOf(one.carried.body) === nameOf(body) && !this.taken.has(one)));
  }

  private take(present: Present | undefined): Present | undefined {
    if (present !== undefined) this.taken.add(present);
    return present;
  }

  private async bringOne(wish: Wish, body: JsonObject, present: Present | "gone" | undefined): Promise<void> {
    const { kind, carried } = wish;
    const name = nameOf(body);
    if (present === "gone") return this.leaveOut(wish, "it was brought before, and deleted here since");
    if (present === undefined) return this.make(wish, body);
    const { id } = present.carried;
    this.became.set(`${kind} ${carried.id}`, id);
    if (present.mark === fingerprint(body)) {
      await this.finish(wish, id, "same");
    } else if (this.overwrite) {
      await this.api.send("PATCH", `${pathOf(kind)}${id}/`, body);
      await this.finish(wish, id, "overwritten");
    } else {
      const reason = `it differs from ${kind} ${id} here, which stays as it is`;
      this.reporting.note({ kind, id: carried.id, name, outcome: "changed", reason });
    }
  }

  private async make(wish: Wish, body: JsonObject): Promise<void> {
    const { kind, carried } = wish;
    const whole: JsonObject = { ...body };
    if (carried.persons !== undefined) whole.csv = csvOf(carried.persons);
    // It tells nobody until somebody says whom.
    if (kind === "alert") whole.enabled = false;
    try {
      const made = await this.api.send("POST", pathOf(kind), whole);
      const { id } = carriedOf(kind, made);
      this.became.set(`${kind} ${carried.id}`, id);
      await this.finish(wish, id, "added");
    } catch (error) {
      if (!(error instanceof ApiRefused) || error.status !== 400) throw error;
      this.leaveOut(wish, `Weir refuses it: ${error.detail}`);
    }
  }

  /** With what belongs to it. */
  private async finish(
    { kind, carried }: Wish,
    to: ObjectId,
    outcome: "added" | "same" | "overwritten",
  ): Promise<void> {
    const isWhole = this.known.find(kind, carried.id) === to;
    const tiles = carried.tiles ?? [];
    let became = outcome as "added" | "same" | "overwritten" | "changed";
    if (tiles.length > 0) {
      const insightOf = (id: number) => this.resolve("insight", id);
      const differs = await bringTiles(tiles, {
        api: this.api,
        dashboard: Number(to),
        insightOf,
        mayAdd: !isWhole || this.overwrite,
      });
      if (differs && outcome === "same") became = "changed";
    }
    this.known.note(kind, carried.id, to);
    if (became !== "changed") return this.reporting.count(kind, became);
    const reason = `its tiles differ from those of dashboard ${to} here, which stay as they are`;
    this.reporting.note({ kind, id: carried.id, name: nameOf(carried.body), outcome: "changed", reason });
  }
}

const nameOf = ({ name, content }: JsonObject): string => String(name ?? content ?? "");
const pathOf = (kind: ObjectKind): string => OBJECTS[kind].path.split("?")[0]!;

/** One cell a line. */
function csvOf(distinctIds: readonly string[]): string {
  return ["distinct_id", ...distinctIds.map((id) => `"${id.replaceAll('"', '""')}"`)].join("\n");
}
