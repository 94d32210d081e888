// The runs of the scheduled count, by instance.

import { create, seconds, showInstance, time } from './text.js';

const rows = document.getElementById('run-rows');
const summary = document.getElementById('run-summary');
let shown = '';

export function showRuns(runs) {
	const content = JSON.stringify(runs);
	if (!runs || content === shown) {
		return;
	}
	shown = content;
	showSummary(runs);
	rows.textContent = '';
	for (const run of runs) {
		const row = create('tr', rows);
		row.dataset.run = run.run;
		create('td', row).textContent = run.run;
		showInstance(create('span', create('td', row)), run.instance);
		create('td', row).textContent = time(run.startedAt);
		create('td', row).textContent = run.endedAt ? seconds(new Date(run.endedAt) - new Date(run.startedAt)) : '–';
		create('td', row).textContent = run.total ?? '–';
	}
}

function showSummary(runs) {
	const counts = new Map();
	runs.forEach((run) => counts.set(run.instance, (counts.get(run.instance) ?? 0) + 1));
	summary.textContent = runs.length === 0 ? 'None yet' : `Of the last ${runs.length}: `;
	[...counts].sort().forEach(([instance, count], index) => {
		summary.append(`${index > 0 ? ', ' : ''}${count} on `);
		showInstance(create('span', summary), instance);
	});
}
