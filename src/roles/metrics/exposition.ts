/** A value with the labels that tell it from others of its metric. */
export type Sample = [labels: Record<string, string | number>, value: number];

/** Prometheus' text format, a metric at a time. */
export class Exposition {
  private readonly lines: string[] = [];

  gauge(name: string, help: string, samples: number | readonly Sample[]): void {
    this.metric(name, "gauge", help, samples);
  }

  counter(name: string, help: string, samples: number | readonly Sample[]): void {
    this.metric(name, "counter", help, samples);
  }

  /** Samples have the names of their parts behind the metric's. */
  histogram(name: string, help: string, samples: readonly [part: string, ...Sample][]): void {
    this.begin(name, "histogram", help);
    for (const [part, labels, value] of samples) this.lines.push(`${name}_${part}${labelText(labels)} ${value}`);
  }

  toString(): string {
    return `${this.lines.join("\n")}\n`;
  }

  private metric(name: string, type: string, help: string, samples: number | readonly Sample[]): void {
    this.begin(name, type, help);
    const all: readonly Sample[] = typeof samples === "number" ? [[{}, samples]] : samples;
    for (const [labels, value] of all) this.lines.push(`${name}${labelText(labels)} ${value}`);
  }

  private begin(name: string, type: string, help: string): void {
    this.lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }
}

function labelText(labels: Record<string, string | number>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

const escaped = (value: string): string => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
