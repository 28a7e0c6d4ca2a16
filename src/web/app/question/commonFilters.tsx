import { Checkbox, Select } from "../ui/field.tsx";
import { eventNames } from "./entities.ts";
import { PropertyFilters } from "./propertyFilters.tsx";
import type { SeriesNode } from "./types.ts";

interface CommonFiltersProps {
  projectId: number;
  node: SeriesNode;
  onChange(node: SeriesNode): void;
  /** For questions that have no series. */
  events?: readonly string[];
}

const SHARES = [1, 0.5, 0.25, 0.1, 0.05, 0.01];
const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });

/** What all questions about series have below their series: filters, test accounts, sampling. */
export function CommonFilters({ projectId, node, onChange, events }: CommonFiltersProps) {
  const share = node.samplingFactor ?? 1;
  const shares = SHARES.includes(share) ? SHARES : [...SHARES, share].sort((a, b) => b - a);
  const setShare = (next: number) => {
    const { samplingFactor: _, ...rest } = node;
    onChange((next === 1 ? rest : { ...rest, samplingFactor: next }) as SeriesNode);
  };
  return (
    <div class="common-filters">
      <PropertyFilters
        projectId={projectId}
        events={events ?? eventNames(node.series ?? [])}
        value={node.properties}
        onChange={(properties) => onChange(withOrWithout(node, properties))}
      />
      <div class="common-row">
        <Checkbox
          label="Exclude test accounts"
          isOn={node.filterTestAccounts === true}
          onChange={(isOn) => onChange({ ...node, filterTestAccounts: isOn })}
        />
        <Select
          label="Sampling"
          isLabelled
          value={share}
          choices={shares.map((one) => ({
            value: one,
            label: one === 1 ? "All persons" : `${PERCENT.format(one)} of persons`,
          }))}
          onChange={setShare}
        />
      </div>
    </div>
  );
}

function withOrWithout(node: SeriesNode, properties: SeriesNode["properties"]): SeriesNode {
  const { properties: _, ...rest } = node;
  return (properties === undefined ? rest : { ...rest, properties }) as SeriesNode;
}
