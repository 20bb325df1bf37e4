// Command driver solves scheduling problems with core Karpenter's own scheduler over controller-runtime's fake client.
//
// It reads problems, one JSON object a line, and writes a result a line. With -repeat each problem is solved several
// times, so that what upstream leaves to chance shows.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"sort"
	"syscall"
	"time"

	"github.com/awslabs/operatorpkg/status"
	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/kubernetes/scheme"
	clock "k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	fakecloud "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	karpreqs "sigs.k8s.io/karpenter/pkg/scheduling"
)

const reservationLabel = "karpenter.sh/reservation-id"

type offering struct {
	Requirements        []v1.NodeSelectorRequirementWithMinValues `json:"requirements"`
	PriceUnits          uint64                                    `json:"priceUnits"`
	Available           bool                                      `json:"available"`
	ReservationCapacity int                                       `json:"reservationCapacity"`
}

type instanceType struct {
	Name         string                                    `json:"name"`
	Requirements []v1.NodeSelectorRequirementWithMinValues `json:"requirements"`
	Offerings    []offering                                `json:"offerings"`
	Capacity     corev1.ResourceList                       `json:"capacity"`
	Overhead     corev1.ResourceList                       `json:"overhead"`
}

type problem struct {
	Name           string                         `json:"name"`
	NodePools      []v1.NodePool                  `json:"nodePools"`
	InstanceTypes  map[string][]instanceType      `json:"instanceTypes"`
	Nodes          []corev1.Node                  `json:"nodes"`
	NodeClaims     []v1.NodeClaim                 `json:"nodeClaims"`
	BoundPods      []corev1.Pod                   `json:"boundPods"`
	Pods           []corev1.Pod                   `json:"pods"`
	DaemonSets     []appsv1.DaemonSet             `json:"daemonSets"`
	Namespaces     []corev1.Namespace             `json:"namespaces"`
	Claims         []corev1.PersistentVolumeClaim `json:"persistentVolumeClaims"`
	Volumes        []corev1.PersistentVolume      `json:"persistentVolumes"`
	StorageClasses []storagev1.StorageClass       `json:"storageClasses"`
	CSINodes       []storagev1.CSINode            `json:"csiNodes"`
	Deleting       []string                       `json:"deleting"`
	IgnorePrefs    bool                           `json:"ignorePreferences"`
	BestEffort     bool                           `json:"bestEffortMinValues"`
	Fallback       bool                           `json:"fallbackToOtherCapacity"`
}

type claim struct {
	NodePool     string   `json:"nodePool"`
	Pods         []string `json:"pods"`
	Types        []string `json:"types"`
	Requirements string   `json:"requirements"`
	Requests     string   `json:"requests"`
}

type result struct {
	Claims []claim             `json:"claims"`
	Nodes  map[string][]string `json:"nodes"`
	Errors map[string]string   `json:"errors"`
}

type line struct {
	Name    string   `json:"name"`
	Results []result `json:"results"`
	// Of building the scheduler and solving: time, and processor time of all threads.
	Millis    float64 `json:"solveMillis"`
	CPUMillis float64 `json:"solveCpuMillis"`
}

func requirements(from []v1.NodeSelectorRequirementWithMinValues) karpreqs.Requirements {
	return karpreqs.NewNodeSelectorRequirementsWithMinValues(from...)
}

func (p *problem) cloud() *fakecloud.CloudProvider {
	cloud := fakecloud.NewCloudProvider()
	cloud.InstanceTypes = []*cloudprovider.InstanceType{}
	for pool, types := range p.InstanceTypes {
		list := []*cloudprovider.InstanceType{}
		for _, t := range types {
			offerings := cloudprovider.Offerings{}
			for _, o := range t.Offerings {
				offerings = append(offerings, &cloudprovider.Offering{
					Requirements:        requirements(o.Requirements),
					Price:               float64(o.PriceUnits),
					Available:           o.Available,
					ReservationCapacity: o.ReservationCapacity,
				})
			}
			list = append(list, &cloudprovider.InstanceType{
				Name:         t.Name,
				Requirements: requirements(t.Requirements),
				Offerings:    offerings,
				Capacity:     t.Capacity,
				Overhead:     &cloudprovider.InstanceTypeOverhead{KubeReserved: t.Overhead},
			})
		}
		cloud.InstanceTypesForNodePool[pool] = list
	}
	return cloud
}

type silent struct{}

func (silent) Publish(...events.Event) {}

func add[T any, P interface {
	*T
	client.Object
}](to []client.Object, from []T) []client.Object {
	for i := range from {
		to = append(to, P(&from[i]))
	}
	return to
}

// getWithoutNamespace asks for PersistentVolumes as the API server answers: it ignores the namespace of what has none, with
// which Karpenter asks, where the fake client finds nothing.
func getWithoutNamespace(
	ctx context.Context, from client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	if _, ok := object.(*corev1.PersistentVolume); ok {
		key.Namespace = ""
	}
	return from.Get(ctx, key, object, options...)
}

// processorTime is that of the process so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (p *problem) solve(ctx context.Context) (found result, took, cpu time.Duration) {
	cloud := p.cloud()
	objects := []client.Object{}
	for i := range p.NodePools {
		p.NodePools[i].StatusConditions().SetTrue(status.ConditionReady)
		ref := p.NodePools[i].Spec.Template.Spec.NodeClassRef
		if ref == nil {
			panic("a NodePool without a NodeClass")
		}
	}
	objects = add(objects, p.NodePools)
	objects = add(objects, p.Nodes)
	objects = add(objects, p.NodeClaims)
	objects = add(objects, p.BoundPods)
	objects = add(objects, p.Pods)
	objects = add(objects, p.DaemonSets)
	objects = add(objects, p.Namespaces)
	objects = add(objects, p.Claims)
	objects = add(objects, p.Volumes)
	objects = add(objects, p.StorageClasses)
	objects = add(objects, p.CSINodes)
	kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string {
			return []string{o.(*corev1.Pod).Spec.NodeName}
		}).WithInterceptorFuncs(interceptor.Funcs{Get: getWithoutNamespace}).Build()
	cluster := state.NewCluster(clock.RealClock{}, kube, cloud)
	for i := range p.NodeClaims {
		cluster.UpdateNodeClaim(&p.NodeClaims[i])
	}
	for i := range p.Nodes {
		must(cluster.UpdateNode(ctx, p.Nodes[i].DeepCopy()))
	}
	for i := range p.BoundPods {
		must(cluster.UpdatePod(ctx, p.BoundPods[i].DeepCopy()))
	}
	cluster.MarkForDeletion(p.Deleting...)
	opts := []scheduling.Options{scheduling.NumConcurrentReconciles(1)}
	if !p.Fallback {
		opts = append(opts, scheduling.DisableReservedCapacityFallback)
	}
	if p.IgnorePrefs {
		opts = append(opts, scheduling.IgnorePreferences)
	}
	policy := options.MinValuesPolicyStrict
	if p.BestEffort {
		policy = options.MinValuesPolicyBestEffort
	}
	opts = append(opts, scheduling.MinValuesPolicy(policy))
	ctx = options.ToContext(ctx, &options.Options{
		MinValuesPolicy:   policy,
		IgnoreDRARequests: true,
		FeatureGates:      options.FeatureGates{ReservedCapacity: true},
	})
	provisioner := provisioning.NewProvisioner(kube, silent{}, cloud, cluster, clock.RealClock{})
	pods := []*corev1.Pod{}
	for i := range p.Pods {
		pods = append(pods, p.Pods[i].DeepCopy())
	}
	nodes := cluster.DeepCopyNodes()
	leaving, err := nodes.Deleting().CurrentlyReschedulablePods(ctx, kube)
	must(err)
	pods = append(pods, leaving...)
	reset()
	before, cpuBefore := time.Now(), processorTime()
	scheduler, err := provisioner.NewScheduler(ctx, pods, nodes.Active(), opts...)
	must(err)
	results, err := scheduler.Solve(ctx, pods)
	must(err)
	took, cpu = time.Since(before), processorTime()-cpuBefore
	return told(results.TruncateInstanceTypes(ctx, scheduling.MaxInstanceTypes)), took, cpu
}

func told(results scheduling.Results) result {
	out := result{Claims: []claim{}, Nodes: map[string][]string{}, Errors: map[string]string{}}
	for _, c := range results.NewNodeClaims {
		one := claim{NodePool: c.NodePoolName, Requirements: c.Requirements.String(), Pods: []string{}, Types: []string{}}
		for _, p := range c.Pods {
			one.Pods = append(one.Pods, p.Name)
		}
		for _, t := range c.InstanceTypeOptions {
			one.Types = append(one.Types, t.Name)
		}
		sort.Strings(one.Types)
		requests, _ := json.Marshal(c.Spec.Resources.Requests)
		one.Requests = string(requests)
		out.Claims = append(out.Claims, one)
	}
	for _, n := range results.ExistingNodes {
		for _, p := range n.Pods {
			out.Nodes[n.Name()] = append(out.Nodes[n.Name()], p.Name)
		}
	}
	for p, err := range results.PodErrors {
		out.Errors[p.Name] = err.Error()
	}
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	repeat := flag.Int("repeat", 1, "how many times each problem is solved, while the results are equal")
	flag.Parse()
	log.SetLogger(logr.Discard())
	cloudprovider.ReservationIDLabel = reservationLabel
	v1.WellKnownLabels.Insert(reservationLabel, "example.com/family", "example.com/generation")
	for _, label := range []string{"size", "special", "integer"} {
		v1.WellKnownLabels.Delete(label)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		text, err := in.ReadBytes('\n')
		if len(text) == 0 && err != nil {
			return
		}
		one := line{}
		for range *repeat {
			p := problem{}
			must(json.Unmarshal(text, &p))
			one.Name = p.Name
			found, took, cpu := p.solve(log.IntoContext(context.Background(), logr.Discard()))
			one.Millis = float64(took.Microseconds()) / 1000
			one.CPUMillis = float64(cpu.Microseconds()) / 1000
			known := false
			for _, other := range one.Results {
				known = known || reflect.DeepEqual(other, found)
			}
			if !known {
				one.Results = append(one.Results, found)
			}
		}
		encoded, err := json.Marshal(one)
		must(err)
		fmt.Fprintln(out, string(encoded))
		out.Flush()
	}
}
