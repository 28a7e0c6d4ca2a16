import { importRequest } from "../../src/persons/mod.ts";
import {
  type AcceptedEvent,
  DAY_MS,
  EventFlag,
  type JsonObject,
  type Lane,
  type TeamCounts,
} from "../../src/types/mod.ts";
import type { Random } from "../support/random.ts";
import { REFUSED } from "./disk.ts";
import type { FaultCounts } from "./faults.ts";
import { KILLS, NOTIFIES, THROWS } from "./probeActor.ts";

/** What a client sends in one go. */
export interface SimRequest {
  teamId: number;
  lane: Lane;
  events: AcceptedEvent[];
  dropped: TeamCounts["dropped"];
  isCorrupt: boolean;
}

/** The second one may be deleted. */
export const TEAMS = [1, 2] as const;
const CLIENTS = 3;
const MIN_EVENTS = 40;
const KEYS = ["plan", "score", "city"];
const GROUP_TYPES = ["company", "project"];
export const LONG_GROUP_KEY = "k".repeat(401);

/** What clients send, one list a client; each distinct_id speaks through one client only. */
export function makeWorkload(random: Random, startMs: number, faults: FaultCounts): SimRequest[][] {
  const clients: SimRequest[][] = Array.from({ length: CLIENTS }, () => []);
  const maker = new EventMaker(random, startMs, faults);
  for (let events = 0, turn = 0; events < MIN_EVENTS; turn++) {
    const client = turn % CLIENTS;
    const request = maker.request(client);
    clients[client]!.push(request);
    if (request.lane !== "identity") events += request.events.length;
  }
  return clients;
}

class EventMaker {
  private hasKiller = false;
  private readonly hasPoison: boolean;

  constructor(
    private readonly random: Random,
    private readonly startMs: number,
    private readonly faults: FaultCounts,
  ) {
    this.hasPoison = random.chance(0.3);
  }

  request(client: number): SimRequest {
    const { random } = this;
    const teamId = random.pick(TEAMS);
    if (random.chance(0.05)) return this.personImport(teamId, client);
    const draw = random.next();
    const lane = draw < 0.68 ? "live" : draw < 0.88 ? "history" : "overflow";
    // Often somebody alone: then more than one frame of a partition belongs together.
    const alone = random.chance(0.4) ? this.someone(client) : null;
    const events = Array.from({ length: random.int(1, 6) }, () =>
      this.event(teamId, client, lane, alone ?? this.someone(client)),
    );
    const isCorrupt = this.hasPoison && random.chance(0.03);
    if (isCorrupt) this.faults.add("frame corrupt");
    return {
      teamId,
      lane,
      events,
      dropped: random.chance(0.1) ? { missing_event_name: random.int(1, 3) } : {},
      isCorrupt,
    };
  }

  private personImport(teamId: number, client: number): SimRequest {
    const { random } = this;
    const distinctIds = [...new Set([this.someone(client), this.someone(client)])];
    const properties = JSON.stringify({ [random.pick(KEYS)]: this.value() });
    const createdAtMs = random.chance(0.5) ? this.startMs - 9 * DAY_MS : null;
    const person = {
      kind: "import",
      distinctIds,
      properties,
      createdAtMs,
      isIdentified: createdAtMs === null,
    } as const;
    const event = importRequest({ teamId, uuid: random.uuid(), nowMs: this.startMs }, person);
    return { teamId, lane: "identity", events: [event], dropped: {}, isCorrupt: false };
  }

  private someone(client: number): string {
    return `client${client} ${this.random.pick(["anna", "bert", "cora"])}`;
  }

  private value(): string | number {
    return this.random.chance(0.5) ? this.random.int(0, 99) : `v${this.random.int(0, 99)}`;
  }

  private event(teamId: number, client: number, lane: Lane, distinctId: string): AcceptedEvent {
    const { random, startMs } = this;
    const [name, properties] = this.content(client, distinctId);
    let flags = 0;
    if (properties.$process_person_profile === false) flags |= EventFlag.Personless;
    const isServerTime = lane !== "history" && random.chance(0.4);
    if (isServerTime) flags |= EventFlag.ServerTime;
    const age = lane === "history" ? random.int(0, 5 * DAY_MS) : random.int(-200, 5_000);
    return {
      teamId,
      uuid: random.uuid(),
      event: name,
      distinctId,
      // Of an event whose time the server makes, the distance to its own clock.
      timestampMs: isServerTime ? random.int(-20, 0) : startMs - age,
      properties: JSON.stringify(properties),
      elementsChain: "",
      flags,
      mergedAtMs: 0,
      mergeSequence: 0,
    };
  }

  private content(client: number, distinctId: string): [name: string, properties: JsonObject] {
    const { random } = this;
    const draw = random.int(0, 99);
    if (draw < 18) return ["page", this.page()];
    if (draw < 34) return [random.chance(0.5) ? "$set" : "bought", { ...this.page(), ...this.sets() }];
    if (draw < 42) return ["left", { $unset: [random.pick([...KEYS, "$browser", "$initial_browser"])] }];
    if (draw < 54) return ["$identify", { $anon_distinct_id: this.other(client, distinctId), ...this.sets() }];
    if (draw < 62) return ["$create_alias", { alias: this.other(client, distinctId), ...this.sets() }];
    if (draw < 66) return ["$merge_dangerously", { alias: this.other(client, distinctId), ...this.sets() }];
    if (draw < 74) return ["$groupidentify", this.group()];
    if (draw < 80) return ["grouped", { $groups: { [random.pick(GROUP_TYPES)]: random.pick(["acme", "bolt"]) } }];
    if (draw < 86) return [random.pick(["page", "$identify"]), { ...this.page(), $process_person_profile: false }];
    if (draw < 94 || !this.hasPoison) return [NOTIFIES, this.page()];
    return [this.poison(), this.sets()];
  }

  private poison(): string {
    const name = this.hasKiller ? this.random.pick([THROWS, REFUSED]) : this.random.pick([THROWS, REFUSED, KILLS]);
    if (name === KILLS) this.hasKiller = true;
    this.faults.add(
      name === KILLS ? "event that kills" : name === THROWS ? "event that throws" : "event that storage refuses",
    );
    return name;
  }

  /** Nearly always somebody; sometimes an id that names nobody, or an own one. */
  private other(client: number, distinctId: string): string {
    const { random } = this;
    if (random.chance(0.1)) return random.pick(["undefined", "0", "Guest", distinctId]);
    return this.someone(random.chance(0.6) ? client : random.int(0, CLIENTS - 1));
  }

  private page(): JsonObject {
    const { random } = this;
    const page: JsonObject = { $browser: `b${random.int(0, 3)}` };
    if (random.chance(0.4)) page.utm_source = `u${random.int(0, 3)}`;
    return page;
  }

  private sets(): JsonObject {
    const { random } = this;
    const sets: JsonObject = {};
    if (random.chance(0.6)) sets.$set = { [random.pick(KEYS)]: this.value() };
    if (random.chance(0.4)) sets.$set_once = { [random.pick(KEYS)]: this.value() };
    if (random.chance(0.15)) sets.$unset = [random.pick(KEYS)];
    return sets;
  }

  private group(): JsonObject {
    const { random } = this;
    const key = random.chance(0.1) ? LONG_GROUP_KEY : random.pick(["acme", "bolt"]);
    return {
      $group_type: random.pick(GROUP_TYPES),
      $group_key: key,
      $group_set: { [random.pick(KEYS)]: this.value() },
    };
  }
}
