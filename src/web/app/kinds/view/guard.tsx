import { Component, type ComponentChildren } from "preact";
import { Problem } from "../../ui/notice.tsx";

interface GuardProps {
  /** What is drawn: another one is tried anew. */
  value: unknown;
  children: ComponentChildren;
}

/** Keeps a chart that cannot draw its answer from taking the page with it. */
export class Guard extends Component<GuardProps, { problem: unknown; of: unknown }> {
  override state = { problem: undefined as unknown, of: undefined as unknown };

  override componentDidCatch(problem: unknown): void {
    this.setState({ problem, of: this.props.value });
  }

  override render({ value, children }: GuardProps) {
    const { problem, of } = this.state;
    if (problem === undefined || of !== value) return children;
    return <Problem error={problem} onRetry={() => this.setState({ problem: undefined })} />;
  }
}
