// Who pays whom at the end of an evening, in as few payments as a greedy match gives: at most one fewer than people.

export function settle(running) {
  const owes = Object.entries(running).filter(([, n]) => n < 0).map(([id, n]) => ({ id, n: -n })).sort((a, b) => b.n - a.n);
  const gets = Object.entries(running).filter(([, n]) => n > 0).map(([id, n]) => ({ id, n })).sort((a, b) => b.n - a.n);
  const payments = [];
  while (owes.length && gets.length) {
    const n = Math.min(owes[0].n, gets[0].n);
    payments.push({ from: owes[0].id, to: gets[0].id, n });
    owes[0].n -= n;
    gets[0].n -= n;
    if (!owes[0].n) owes.shift();
    if (!gets[0].n) gets.shift();
  }
  return payments;
}
