import { useId } from "preact/hooks";
import { useGroupTypes } from "./definitions.ts";
import {
  MATH_GROUPS,
  MATH_PROPERTY_TYPES,
  mathOf,
  mathProperty,
  type SeriesMath,
  TREND_MATHS,
  withMath,
  withMathProperty,
} from "./maths.ts";
import { plural } from "./names.ts";
import { PropertyPicker } from "./propertyPicker.tsx";
import { cut } from "./seen.ts";
import { SqlLine } from "./sqlLine.tsx";
import type { EntityNode } from "./types.ts";

interface MathPickerProps {
  projectId: number;
  value: EntityNode;
  onChange(value: EntityNode): void;
  /** Those of trends where absent. */
  maths?: readonly string[];
  /** Other words for some of them. */
  labels?: Readonly<Record<string, string>>;
  events?: readonly string[];
}

/** How the events of a series become a number: the math, and the property or expression that it needs. */
export function MathPicker({ projectId, value, onChange, maths = TREND_MATHS, labels = {}, events }: MathPickerProps) {
  const id = useId();
  const groupTypes = useGroupTypes(projectId);
  const math = mathOf(value);
  // Another name is kept as it is.
  const name = value.math ?? "total";
  const index = value.math_group_type_index;
  const choices = (one: SeriesMath): { value: string; label: string }[] => {
    if (one.needs !== "group") return [{ value: one.name, label: labels[one.name] ?? one.label }];
    const types = groupTypes.map((type) => ({ index: type.index, label: `Unique ${plural(cut(type.name))}` }));
    const isUnknown = name === one.name && !types.some((type) => type.index === index);
    const all = isUnknown ? [...types, { index: index ?? 0, label: `Unique groups of type ${index}` }] : types;
    return all.map((type) => ({ value: `${one.name} ${type.index}`, label: type.label }));
  };
  const pick = (text: string) => {
    const [next, group] = text.split(" ");
    onChange(withMath(value, next!, group === undefined ? undefined : Number(group)));
  };
  const groups = MATH_GROUPS.map(({ label, maths: all }) => ({
    label,
    choices: all.filter((one) => maths.includes(one.name) || one.name === name).flatMap(choices),
  })).filter((group) => group.choices.length > 0);
  return (
    <>
      <span class="select math-select">
        <label for={id} class="unseen">
          What is counted
        </label>
        <select
          id={id}
          value={math?.needs === "group" ? `${name} ${index}` : name}
          onChange={(event) => pick(event.currentTarget.value)}
        >
          {math === undefined && <option value={name}>{name}</option>}
          {groups.map((group) => (
            <optgroup key={group.label} label={group.label}>
              {group.choices.map((choice) => (
                <option key={choice.value} value={choice.value}>
                  {choice.label}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </span>
      {math?.needs === "property" && (
        <PropertyPicker
          key={name}
          projectId={projectId}
          label="Property of the math"
          value={mathProperty(value)}
          types={MATH_PROPERTY_TYPES}
          events={events}
          isNumeric
          isOpenAtFirst={mathProperty(value) === null}
          onChange={(picked) => onChange(withMathProperty(value, picked))}
        />
      )}
      {math?.needs === "hogql" && (
        <SqlLine
          label="Aggregate in SQL"
          placeholder="Such as sum(properties.price * properties.count)"
          value={value.math_hogql ?? ""}
          onChange={(text) => onChange({ ...value, math_hogql: text })}
        />
      )}
    </>
  );
}
