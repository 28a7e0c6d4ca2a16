import type { QueryNode } from "../../api/node.ts";
import { unloadedGroups } from "../../question/choices.tsx";
import { CommonFilters, type FilteredNode } from "../../question/commonFilters.tsx";
import { useGroupTypeList } from "../../question/definitions.ts";
import { AggregationSelect } from "../../question/intervals.tsx";
import type { FormProps } from "../kind.ts";
import { Section } from "./section.tsx";

type CountingNode = QueryNode & { aggregation_group_type_index?: number | null };

/** Whether persons are counted, or groups of a type. */
export function Counted<N extends CountingNode>({ projectId, node, onChange }: FormProps<N>) {
  return (
    <AggregationSelect
      projectId={projectId}
      value={node.aggregation_group_type_index}
      onChange={(index) => onChange({ ...node, aggregation_group_type_index: index })}
    />
  );
}

/** The same with its heading, where there is a choice. */
export function CountedSection<N extends CountingNode>(props: FormProps<N>) {
  const types = useGroupTypeList(props.projectId);
  if (!types.data?.length && props.node.aggregation_group_type_index == null)
    return unloadedGroups(props.projectId, types);
  return (
    <Section title="Counted">
      <Counted {...props} />
    </Section>
  );
}

/** Which events and persons a question is about. */
export function Filters<N extends QueryNode & FilteredNode>({ projectId, node, onChange }: FormProps<N>) {
  return (
    <Section title="Filters">
      <CommonFilters projectId={projectId} node={node} onChange={onChange} />
    </Section>
  );
}
