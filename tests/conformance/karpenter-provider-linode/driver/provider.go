package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/awslabs/operatorpkg/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kubefake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/events"
	coreoperator "sigs.k8s.io/karpenter/pkg/operator"
	coreoptions "sigs.k8s.io/karpenter/pkg/operator/options"

	"github.com/linode/karpenter-provider-linode/pkg/apis/v1alpha1"
	"github.com/linode/karpenter-provider-linode/pkg/cloudprovider"
	"github.com/linode/karpenter-provider-linode/pkg/controllers/nodeclaim/garbagecollection"
	"github.com/linode/karpenter-provider-linode/pkg/controllers/nodeclaim/tagging"
	sdk "github.com/linode/karpenter-provider-linode/pkg/linode"
	"github.com/linode/karpenter-provider-linode/pkg/operator"
	"github.com/linode/karpenter-provider-linode/pkg/operator/options"
	"github.com/linode/karpenter-provider-linode/pkg/providers/instance"
)

// The cluster of a scenario that lists none.
const (
	clusterName = "lkesim"
	clusterID   = 12345
	nodeClass   = "default"
)

// silent takes events and tells nobody.
type silent struct{}

func (silent) Publish(...events.Event) {}

// provider is the code under test, booted as its operator boots it.
type provider struct {
	ctx     context.Context
	kube    client.Client
	cloud   *cloudprovider.CloudProvider
	nodes   instance.Provider
	collect *garbagecollection.Controller
	tag     *tagging.Controller
}

func boot(f *fake, file caseFile) (*provider, error) {
	api, err := sdk.CreateLinodeClient(sdk.ClientConfig{Token: token})
	if err != nil {
		return nil, err
	}
	// By reflection, as the SDK's import path is another one in each of its major versions.
	set(api, "SetBaseURL", f.url)
	set(api, "SetAPIVersion", "v4beta")
	if file.Retries > 0 {
		set(api, "SetRetryCount", file.Retries)
	}
	kube, err := apiServer(file)
	if err != nil {
		return nil, err
	}
	ctx := coreoptions.ToContext(context.Background(), &coreoptions.Options{})
	ctx = options.ToContext(ctx, &options.Options{
		ClusterName:             clusterName,
		Mode:                    "lke",
		VMMemoryOverheadPercent: 0.075,
	})
	op, err := operator.NewOperator(ctx, &coreoperator.Operator{EventRecorder: silent{}}, api)
	if err != nil {
		return nil, err
	}
	cloud := cloudprovider.New(op.InstanceTypesProvider, op.NodeProvider, silent{}, kube)
	return &provider{
		ctx:     ctx,
		kube:    kube,
		cloud:   cloud,
		nodes:   op.NodeProvider,
		collect: garbagecollection.NewController(kube, cloud),
		tag:     tagging.NewController(kube, cloud, op.NodeProvider),
	}, nil
}

func set(api any, method string, value any) {
	reflect.ValueOf(api).MethodByName(method).Call([]reflect.Value{reflect.ValueOf(value)})
}

// apiServer has the NodeClass and the NodePools of a case.
func apiServer(file caseFile) (client.Client, error) {
	class := &v1alpha1.LinodeNodeClass{ObjectMeta: metav1.ObjectMeta{Name: nodeClass, Generation: 1}}
	if err := into(file.NodeClass, &class.Spec); err != nil {
		return nil, fmt.Errorf("node_class: %w", err)
	}
	// Ready follows from the conditions that the release has.
	for _, condition := range class.StatusConditions().List() {
		if condition.Type != status.ConditionReady {
			class.StatusConditions().SetTrue(condition.Type)
		}
	}
	if !class.StatusConditions().Get(status.ConditionReady).IsTrue() {
		class.Status.Conditions = []status.Condition{
			{Type: status.ConditionReady, Status: metav1.ConditionTrue, Reason: "Ready", ObservedGeneration: 1},
		}
	}
	objects := []client.Object{class}
	names := file.NodePools
	if len(names) == 0 {
		names = []string{"default"}
	}
	for _, name := range names {
		pool := &karpv1.NodePool{}
		err := into(map[string]any{
			"metadata": map[string]any{"name": name},
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
				"nodeClassRef": nodeClassRef(nodeClass), "requirements": []any{},
			}}},
		}, pool)
		if err != nil {
			return nil, err
		}
		objects = append(objects, pool)
	}
	return kubefake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).Build(), nil
}

func nodeClassRef(name string) map[string]any {
	return map[string]any{"group": "karpenter.k8s.linode", "kind": "LinodeNodeClass", "name": name}
}

// into fills an object from its manifest, whose shape changes less between releases than the Go types.
func into(manifest any, object any) error {
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, object)
}

// nodeClaim makes the object that a step names.
func (c claim) nodeClaim() (*karpv1.NodeClaim, error) {
	pool := c.NodePool
	if pool == "" {
		pool = "default"
	}
	class := c.NodeClass
	if class == "" {
		class = nodeClass
	}
	types := c.Types
	if len(types) == 0 {
		types = []string{"g6-standard-2"}
	}
	labels := map[string]any{karpv1.NodePoolLabelKey: pool}
	for key, value := range c.Labels {
		labels[key] = value
	}
	made := &karpv1.NodeClaim{}
	err := into(map[string]any{
		"metadata": map[string]any{"name": c.Claim, "labels": labels},
		"spec": map[string]any{
			"nodeClassRef": nodeClassRef(class),
			"requirements": []any{
				map[string]any{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": types},
			},
			"taints":        c.Taints,
			"startupTaints": c.StartupTaints,
		},
		"status": map[string]any{"providerID": c.target().providerID(), "nodeName": c.Node},
	}, made)
	if c.Deleting {
		// The fake client takes a deletion time only with a finalizer, as the real one has it.
		now := metav1.Now()
		made.DeletionTimestamp = &now
		made.Finalizers = []string{karpv1.TerminationFinalizer}
	}
	return made, err
}

func (c claim) target() target { return target{ID: c.ID, ProviderID: c.ProviderID} }

func (t target) providerID() string {
	if t.ID > 0 {
		return fmt.Sprintf("linode://%d", t.ID)
	}
	return t.ProviderID
}
