import { Checkbox, Select } from "../ui/field.tsx";
import { eventNames } from "./entities.ts";
import { PropertyFilters } from "./propertyFilters.tsx";
import type { SeriesNode } from "./types.ts";

/** What a question says of the events that it is about. */
export interface FilteredNode extends Partial<Pick<SeriesNode, "series" | "properties">> {
  filterTestAccounts?: boolean;
  samplingFactor?: number | null;
}

interface CommonFiltersProps<N extends FilteredNode> {
  projectId: number;
  node: N;
  onChange(node: N): void;
}

const SHARES = [1, 0.5, 0.25, 0.1, 0.05, 0.01];
const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });

/** What all questions have: filters, test accounts, sampling. */
export function CommonFilters<N extends FilteredNode>({ projectId, node, onChange }: CommonFiltersProps<N>) {
  const share = node.samplingFactor ?? 1;
  const shares = SHARES.includes(share) ? SHARES : [...SHARES, share].sort((a, b) => b - a);
  const setShare = (next: number) => {
    const { samplingFactor: _, ...rest } = node;
    onChange((next === 1 ? rest : { ...rest, samplingFactor: next }) as N);
  };
  return (
    <div class="common-filters">
      <PropertyFilters
        projectId={projectId}
        events={eventNames(node.series ?? [])}
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
            label: one === 1 ? "All people" : `${PERCENT.format(one)} of people`,
          }))}
          onChange={setShare}
        />
      </div>
    </div>
  );
}

function withOrWithout<N extends FilteredNode>(node: N, properties: FilteredNode["properties"]): N {
  const { properties: _, ...rest } = node;
  return (properties === undefined ? rest : { ...rest, properties }) as N;
}
