import { Histogram } from "../../charts/histogram.tsx";
import { formatDuration, formatNumber } from "../../format/number.ts";
import { Empty } from "../../ui/notice.tsx";
import type { ChartProps } from "../kind.ts";
import { timesOf } from "./answer.ts";
import { binDrill, binLabel } from "./drill.ts";
import type { FunnelsNode } from "./node.ts";

/** How long conversion took; of two periods one below the other. */
export function FunnelTimes({ node, answer, onDrill }: ChartProps<FunnelsNode>) {
  return (
    <div class="funnel-times">
      {timesOf(answer).map(({ item, bins, ...of }) => (
        <section key={of.label} aria-label={of.label || "Time to convert"}>
          {of.label !== "" && <p dir="auto">{of.label}</p>}
          {bins.length === 0 ? (
            <Empty title="Nobody converted" />
          ) : (
            <Histogram
              bins={bins.map((bin) => ({ label: binLabel(bin), count: bin.count }))}
              format={formatNumber}
              note={noteOf(item.average_conversion_time)}
              onPick={onDrill && ((index) => onDrill(binDrill(node, of, bins[index]!)))}
            />
          )}
        </section>
      ))}
    </div>
  );
}

const noteOf = (averageS: number | null): string | undefined =>
  averageS === null ? undefined : `Average ${formatDuration(averageS)}`;
