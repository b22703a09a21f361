"""The Markdown that a run leaves behind."""


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


class Report:
    def __init__(self, title, about):
        self.lines = [f"# {title}", "", about, ""]
        self.verdicts = []

    def rows(self, title, rows, floor=None, note=""):
        """A table of a work's rows; `floor` is the row that the others are held against."""
        self.lines += [f"## {title}", ""] + ([note, ""] if note else [])
        self.lines += [
            "| who | median | min to max | processor | peak MiB | x floor | x floor, processor |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for row in rows:
            least, most = row.spread()
            ratio = f"{row.wall() / floor.wall():.2f}" if floor else ""
            share = f"{row.processor() / max(floor.processor(), 1e-6):.2f}" if floor else ""
            self.lines.append(
                f"| {row.who} | {seconds(row.wall())} | {seconds(least)} to {seconds(most)} "
                f"| {seconds(row.processor())} | {row.memory() / 1024:.1f} | {ratio} | {share} |")
        self.lines.append("")

    def facts(self, title, heads, facts):
        """A table of plain figures."""
        self.lines += [f"## {title}", "", "| " + " | ".join(heads) + " |", "| --- " * len(heads) + "|"]
        self.lines += ["| " + " | ".join(map(str, fact)) + " |" for fact in facts] + [""]

    def target(self, what, target, found, holds):
        self.verdicts.append((what, target, found, "yes" if holds else "no"))

    def ratio(self, what, limit, row, other):
        """Holds the median wall time of a row against `limit` times another's; processor time stands beside it,
        since a busy machine spoils the one and hardly the other."""
        found = row.wall() / other.wall()
        share = row.processor() / max(other.processor(), 1e-6)
        self.target(
            what, f"at most {limit:g} x {other.who}", f"{found:.2f} x (processor {share:.2f} x)", found <= limit)

    def text(self):
        verdicts = ["## Targets", "", "| work | target | found | met |", "| --- | --- | ---: | --- |"]
        verdicts += ["| " + " | ".join(verdict) + " |" for verdict in self.verdicts]
        head = self.lines[:4]
        return "\n".join(head + verdicts + [""] + self.lines[4:])
