import { mathOf } from "./maths.ts";
import { eventLabel, propertyLabel } from "./names.ts";
import type { EntityNode } from "./types.ts";

/** What a series asks for, as people call it. */
export function entityLabel(entity: EntityNode): string {
  if (entity.custom_name) return entity.custom_name;
  switch (entity.kind) {
    case "EventsNode":
      return eventLabel(entity.event);
    case "ActionsNode":
      return entity.name ?? `Action ${entity.id}`;
    case "GroupNode":
      return (entity.nodes ?? []).map(entityLabel).join(entity.operator === "AND" ? " and " : " or ");
  }
}

/** The same with its math: "Page view · unique people". */
export function seriesLabel(entity: EntityNode): string {
  if (entity.custom_name) return entity.custom_name;
  const math = mathOf(entity);
  const ofWhat = math?.needs === "property" ? ` of ${propertyLabel(entity.math_property ?? "?")}` : "";
  return [entityLabel(entity), math === undefined ? entity.math : math.short + ofWhat].filter(Boolean).join(" · ");
}

/** The names of the events that a series is about; none where it may be any. */
export function eventNames(series: readonly EntityNode[]): string[] {
  const each = series.flatMap((entity) => (entity.kind === "GroupNode" ? (entity.nodes ?? []) : [entity]));
  const names = each.map((entity) => (entity.kind === "EventsNode" ? (entity.event ?? null) : null));
  return names.includes(null) ? [] : [...new Set(names as string[])];
}

/** Letters of formulas: A to Z, then AA. */
export function letterOf(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest === 0 ? "" : letterOf(rest - 1)) + String.fromCharCode(65 + (index % 26));
}

/** A series of another event or action: math and filters stay, the name that was given goes. */
export function withEntity(entity: EntityNode, picked: EntityNode): EntityNode {
  const { kind: _kind, event: _event, id: _id, name: _name, custom_name: _custom, nodes, operator, ...rest } = entity;
  return { ...picked, ...rest };
}

/** Any of the events of a series, or another one. */
export function withAlternative(entity: EntityNode, picked: EntityNode): EntityNode {
  if (entity.kind === "GroupNode") return named({ ...entity, nodes: [...(entity.nodes ?? []), picked] });
  const { kind, event, id, name, ...rest } = entity;
  const own: EntityNode = kind === "ActionsNode" ? { kind, id, name } : { kind, event, name };
  return named({ ...rest, kind: "GroupNode", operator: "OR", nodes: [own, picked] });
}

/** One of the alternatives of a series as another event; null takes it away. */
export function withNode(entity: EntityNode, index: number, node: EntityNode | null): EntityNode {
  const nodes = (entity.nodes ?? []).flatMap((one, i) => (i !== index ? [one] : node === null ? [] : [node]));
  const [only] = nodes;
  if (nodes.length > 1 || only === undefined) return named({ ...entity, nodes });
  const properties = [...(entity.properties ?? []), ...(only.properties ?? [])];
  const one = withEntity(entity, only);
  return { ...one, custom_name: entity.custom_name, ...(properties.length > 0 && { properties }) };
}

/** The name that answers show. */
function named(entity: EntityNode): EntityNode {
  return { ...entity, name: (entity.nodes ?? []).map((node) => node.name ?? eventLabel(node.event)).join(", ") };
}

/** A list with one item elsewhere. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const at = Math.max(0, Math.min(list.length - 1, to));
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(at, 0, list[from]!);
}
