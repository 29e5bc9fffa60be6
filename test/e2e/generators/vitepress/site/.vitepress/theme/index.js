import Layout from './Layout.vue';

export default {
  Layout,
  enhanceApp({ app }) {
    app.component('Moisture', { template: '<b>42 %</b>', render: () => '42 %' });
  },
};
