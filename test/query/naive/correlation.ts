import type { TestEvent } from "../../support/memoryLake.ts";
import { actorOf, attemptsWithout, type NaiveFunnel, type NaiveNode, spanOf, windowOf } from "./funnels.ts";
import { walk } from "./walk.ts";
import { propertiesOf, type World } from "./world.ts";

// A correlation by plain loops over the actors of a funnel, written from docs/queries.md and sharing no code with the engine.

export interface NaiveCorrelation {
  type: "events" | "properties" | "event_with_properties";
  /** Events whose properties are looked at. */
  eventNames: string[];
  excludedEvents: string[];
  excludedProperties: string[];
}

/** Who came to the end, and who did not. */
export interface Ends {
  success: Set<string>;
  failure: Set<string>;
}

export interface NaiveCorrelated {
  totals: Ends;
  /** By a name: of an event, with a property and its text, or of a property of persons and its text. */
  found: Map<string, Ends>;
}

export function correlate(funnel: NaiveFunnel, asked: NaiveCorrelation, world: World): NaiveCorrelated {
  const totals: Ends = { success: new Set(), failure: new Set() };
  const found = new Map<string, Ends>();
  for (const { actor, timesMs } of attemptsWithout(funnel, world, walk)) {
    const firstMs = timesMs[0];
    if (firstMs == null) continue;
    const lastMs = timesMs[funnel.series.length - 1] ?? null;
    const end = lastMs === null ? "failure" : "success";
    totals[end].add(actor);
    const untilMs = lastMs ?? firstMs + windowOf(funnel);
    for (const name of namesOf(actor, { firstMs, untilMs }, funnel, asked, world)) {
      const ends = found.get(name) ?? { success: new Set<string>(), failure: new Set<string>() };
      found.set(name, ends);
      ends[end].add(actor);
    }
  }
  return { totals, found };
}

function namesOf(
  actor: string,
  { firstMs, untilMs }: { firstMs: number; untilMs: number },
  funnel: NaiveFunnel,
  asked: NaiveCorrelation,
  world: World,
): string[] {
  if (asked.type === "properties") {
    const person = world.persons.find(({ distinctIds }) => distinctIds[0] === actor);
    return pairsOf(person?.properties ?? {}, asked);
  }
  const span = spanOf(funnel, world);
  const left = [...funnel.series.flatMap((node) => eventsOf(node, world)), ...asked.excludedEvents];
  const between = world.events.filter(
    (event) =>
      event.timestampMs > firstMs &&
      event.timestampMs < untilMs &&
      event.timestampMs >= span.fromMs &&
      event.timestampMs <= span.toMs &&
      actorOf(event, funnel, world) === actor &&
      !left.includes(event.event),
  );
  if (asked.type === "events") return between.map(({ event }) => event);
  const told = between.filter(({ event }) => asked.eventNames.includes(event));
  return told.flatMap((event: TestEvent) =>
    pairsOf(propertiesOf(event), asked).map((pair) => `${event.event}::${pair}`),
  );
}

/** A text is itself, anything else as it is written in JSON. */
const pairsOf = (properties: Record<string, unknown>, { excludedProperties }: NaiveCorrelation): string[] =>
  Object.entries(properties)
    .filter(([key]) => !excludedProperties.includes(key))
    .map(([key, value]) => `${key}::${typeof value === "string" ? value : JSON.stringify(value)}`);

/** The names of events that a step can be. */
function eventsOf(node: NaiveNode, world: World): string[] {
  if (node.kind === "GroupNode") return node.nodes.flatMap((one) => eventsOf(one, world));
  if (node.kind === "EventsNode") return node.event == null ? [] : [node.event];
  const { steps } = world.actions.find(({ id }) => id === node.id)!;
  return steps.flatMap(({ event }) => (event === null ? [] : [event]));
}
